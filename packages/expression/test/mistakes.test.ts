import { describe, expect, it } from 'vitest'
import { type CompileOptions, compileExpression, ExpressionError } from '../src/index.ts'

/** Every mistake in an expression, as it is shown. */
function mistakes(source: string, options: CompileOptions = {}): string[] {
  try {
    compileExpression(source, options)
  } catch (error) {
    if (error instanceof ExpressionError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('mistakes are reported with their place and a mend', () => {
  it.each<string[]>([
    ['', 'line 1, column 1: the expression ends where a value is expected; complete it'],
    ['1 +', 'line 1, column 4: the expression ends where a value is expected; complete it'],
    ['lenght(items)', 'line 1, column 1: there is no function "lenght"; write len(…)'],
    ['upercase(name)', 'line 1, column 1: there is no function "upercase"; write upper(…)'],
    ['coalesce(a, b)', 'line 1, column 1: there is no function "coalesce"; write value ?? other'],
    ['d(x).isbefore(y)', 'line 1, column 6: dates have no method "isbefore"; did you mean "isBefore"?'],
    ['name.len()', 'line 1, column 6: dates have no method "len"; write len(value) instead of value.len()'],
    ['len()', 'line 1, column 1: 1 argument is expected, not 0; call it as len(value)'],
    [
      'round(1, 2, 3)',
      'line 1, column 1: 1 to 2 arguments are expected, not 3; call it as round(number, places?)',
    ],
    [
      'map(items)',
      'line 1, column 1: an array and an expression are expected, not 1 argument; call it as map(array, expression)',
    ],
    ['len(a as b)', 'line 1, column 1: len takes no "as"; only map, filter and the like name their element'],
    [
      'amount => 100',
      'line 1, column 8: there is no =>; greater or equal is >=, and map takes an expression with #, as in map(items, # + 1)',
    ],
    ['status === "open"', 'line 1, column 8: there is no ===; compare with =='],
    ['a <> b', 'line 1, column 3: there is no <>; compare with !='],
    ['a ** 2', 'line 1, column 3: there is no **; a power is written ^'],
    ['a?.b', 'line 1, column 2: there is no ?.; write a plain . instead: a member of null is null'],
    ['x | len', 'line 1, column 3: there is no |; for "or" write or; functions are called as in len(items)'],
    [
      '// why',
      'line 1, column 1: there is no //; an expression has no comments: remove it',
      'line 1, column 7: the expression ends where a value is expected; complete it',
    ],
    ['(amount > 1', 'line 1, column 12: ) is expected to close the ( before it, not the end; insert )'],
    ['amount > 1)', 'line 1, column 11: nothing is open that ) could close; remove it'],
    ['[1, 2', 'line 1, column 6: ] is expected at the end of the array, not the end; insert ]'],
    ['{ a 1 }', 'line 1, column 5: : is expected after the name of the field, not the number 1; insert :'],
    ['{ a: 1, a: 2 }', 'line 1, column 9: the field "a" stands twice; remove one of them'],
    ['"open', 'line 1, column 1: a text is not closed; end it with "'],
    [
      '`total ${x`',
      'line 1, column 11: } is expected at the end of ${, not a template; insert }',
      'line 1, column 12: a template is not closed; end it with `',
    ],
    ['1..5', 'line 1, column 2: an interval stands in brackets; write [1..5]'],
    [
      'x in [1..5',
      'line 1, column 11: the interval is not closed; end it with ] to include the upper bound, with ) to exclude it',
    ],
    ['a ? b', 'line 1, column 6: : is expected between the two values of a condition, not the end; insert :'],
    [
      '# > 1',
      'line 1, column 1: # stands for an element, and there is none here; use it within map, filter, some and the like',
    ],
    [
      'meta.mqb.id',
      'line 1, column 10: meta.mqb is text and has no "id"; write meta["mqb.id"] for the key with the dot',
    ],
    ['12abc', 'line 1, column 1: 12abc is no number; write digits, such as 12, 1.5 or 1e3'],
    [
      '1e400',
      'line 1, column 1: the number 1e400 does not fit; use at most 28 digits, 28 of them after the point',
    ],
    [
      'price € 5',
      'line 1, column 7: "€" means nothing here; remove it, or put text in quotes',
      'line 1, column 9: an operator is expected before the number 5; put +, and, == or the like between the two values',
    ],
    ['name[', 'line 1, column 6: the expression ends where a value is expected; complete it'],
    [
      'a.1',
      'line 1, column 3: a name is expected after the ., not the number 1; for other names write ["…"]',
    ],
    ['a and', 'line 1, column 6: the expression ends where a value is expected; complete it'],
    [
      'a b',
      'line 1, column 3: an operator is expected before b; put +, and, == or the like between the two values',
    ],
    ['1; 2', 'line 1, column 2: only assignments such as a = 1 are followed by ;; remove it'],
    ['meta = 5', 'line 1, column 1: meta can not be assigned; choose another name'],
    [
      '$root.a = 1',
      'line 1, column 9: = sets a field and can only follow a name; compare with ==, or write name = value',
    ],
    ['()', 'line 1, column 2: the brackets are empty; put a value between them'],
    [
      'matches(name, "(")',
      'line 1, column 15: the regular expression can not be read: error parsing regexp: missing closing ): `(`; write it as in RE2, without look-around and back-references',
    ],
    [
      'foo(1) + bar(2)\n  + baz(3)',
      'line 1, column 1: there is no function "foo"; look up the functions in the reference',
      'line 1, column 10: there is no function "bar"; look up the functions in the reference',
      'line 2, column 5: there is no function "baz"; look up the functions in the reference',
    ],
    [
      'x in [1, 2, unknwon(3), 4] and lenn(y) > 2 and [1,,2]',
      'line 1, column 13: there is no function "unknwon"; look up the functions in the reference',
      'line 1, column 32: there is no function "lenn"; did you mean "len"?',
      'line 1, column 51: a value is expected, not ,; write a field, a number, a text in quotes or a function',
    ],
  ])('%j', (source, ...lines) => {
    expect(mistakes(source as string)).toEqual(lines)
  })

  it('has them as data too', () => {
    const problems = (() => {
      try {
        compileExpression('a +\n  lenn(b)')
      } catch (error) {
        return (error as ExpressionError).problems
      }
      return []
    })()
    expect(problems).toEqual([
      { offset: 6, line: 2, column: 3, what: 'there is no function "lenn"', mend: 'did you mean "len"?' },
    ])
  })

  it('refuses indexed payload paths and lone assignments in a predicate, and nothing else', () => {
    const predicate = (source: string): string[] => mistakes(source, { purpose: 'predicate' })
    const refused = [
      'line 1, column 7: an indexed payload path can not be used here; test the elements instead, as in some(items, #.qty > 1)',
    ]
    expect(predicate('items[0].qty > 1')).toEqual(refused)
    expect(predicate('items[i].qty > 1')).toEqual(refused)
    expect(predicate('(items)[0] > 1')).toHaveLength(1)
    expect(predicate('$root.items[0] > 1')).toHaveLength(1)
    expect(predicate('status = "open"')).toEqual([
      'line 1, column 1: = sets a field, and a condition is expected; compare with ==',
    ])
    for (const fine of [
      'o["a b"] == 1',
      'some(items, #.qty[0] > 1)',
      'limit = 5; amount > limit',
      '[1, 2][0] == 1',
    ])
      expect(predicate(fine)).toEqual([])
    expect(mistakes('items[0].qty > 1')).toEqual([])
  })

  it('does not let the names of roots be assigned', () => {
    expect(mistakes('state = 1', { roots: ['state'] })).toEqual([
      'line 1, column 1: state can not be assigned; choose another name',
    ])
  })
})
