import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePaths, JsonSyntaxError, kindAt, parsePath, readText } from '../src/index.ts'

function findAll(text: string, paths: readonly string[]): (string | undefined)[] {
  const program = compilePaths(paths)
  const bytes = Buffer.from(`#${text}#`)
  const ranges = program.createRanges()
  program.find(bytes, 1, bytes.length - 1, ranges)
  return paths.map((_, slot) =>
    (ranges[2 * slot] as number) < 0
      ? undefined
      : bytes.toString('utf8', ranges[2 * slot], ranges[2 * slot + 1]),
  )
}

const accepts = (text: string): boolean => {
  try {
    findAll(text, ['a.b', 'c[1]'])
    return true
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false
    throw error
  }
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// A long run: MQB_JSON_FUZZ=1000000 pnpm unit packages/json
const fuzzRuns = Number(process.env.MQB_JSON_FUZZ ?? 20_000)

describe('finding values by path', () => {
  it('finds nested members and elements in one pass', () => {
    const text = ' { "a" : { "b" : [ 1 , { "c" : "x" } ] } , "d" : null } '
    expect(findAll(text, ['a.b[1].c', 'd', 'a.b[0]', 'a.x', 'a'])).toEqual([
      '"x"',
      'null',
      '1',
      undefined,
      '{ "b" : [ 1 , { "c" : "x" } ] }',
    ])
  })

  it('keeps the characters of numbers', () => {
    expect(findAll('{"n":9007199254740993,"m":-0,"e":1e400,"d":1.0}', ['n', 'm', 'e', 'd'])).toEqual([
      '9007199254740993',
      '-0',
      '1e400',
      '1.0',
    ])
  })

  it('takes the last of a repeated key, and forgets what an earlier one held', () => {
    expect(findAll('{"a":{"b":1},"a":{"c":2}}', ['a.b', 'a.c'])).toEqual([undefined, '2'])
    expect(findAll('{"a":{"b":1},"a":5}', ['a.b', 'a'])).toEqual([undefined, '5'])
  })

  it('knows a key that is written with escapes', () => {
    expect(findAll('{"\\u0061":1,"b\\n":2}', ['a', 'b\n'])).toEqual(['1', '2'])
  })

  it('finds names such as __proto__ and constructor only where they stand', () => {
    expect(findAll('{"x":1}', ['__proto__', 'constructor'])).toEqual([undefined, undefined])
    expect(findAll('{"__proto__":1}', ['__proto__'])).toEqual(['1'])
  })

  it('reads the whole document at the empty path', () => {
    expect(findAll(' [1] ', [''])).toEqual(['[1]'])
  })

  it.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '[1,]',
    '01',
    '1.',
    '-',
    '+1',
    'tru',
    '"\\x"',
    '"\\u12"',
    '"\t"',
    '{} {}',
    "{'a':1}",
    '{a:1}',
    'NaN',
    '[1 2]',
    '"',
  ])('refuses %j with an offset', text => {
    expect(parses(text)).toBe(false)
    expect(() => findAll(text, ['a'])).toThrow(JsonSyntaxError)
  })

  it('withstands 10 000 levels and refuses an absurd depth without a stack overflow', () => {
    expect(findAll('['.repeat(10_000) + ']'.repeat(10_000), ['a'])).toEqual([undefined])
    expect(() => findAll('['.repeat(100_000), ['a'])).toThrow(/levels deep/)
  })

  it('agrees with JSON.parse on generated documents', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'ä', 'a"b', 'x')
    const { tree } = fc.letrec(tie => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
      ),
    }))
    const paths = ['a', 'a.b', 'a.b[0]', 'c[1].a', 'b.c.a', 'ä', '[0]', '[2].a']
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1), (value, indent) => {
        const found = findAll(JSON.stringify(value, null, indent), paths)
        for (const [slot, path] of paths.entries()) {
          const expected = lookUp(value, path)
          expect(found[slot] === undefined ? undefined : JSON.parse(found[slot])).toEqual(
            expected === undefined ? undefined : JSON.parse(JSON.stringify(expected)),
          )
        }
      }),
      { numRuns: Math.ceil(fuzzRuns / 7) },
    )
  }, 600_000)

  it('accepts exactly what JSON.parse accepts, also after a mutation', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom(...'{}[]",:0-1eE.\\u tfn\n\t'),
        fc.boolean(),
        (text, at, character, insert) => {
          const place = at % (text.length + 1)
          const mutated = text.slice(0, place) + character + text.slice(insert ? place : place + 1)
          expect(accepts(mutated), mutated).toBe(parses(mutated))
        },
      ),
      { numRuns: fuzzRuns },
    )
  }, 600_000)
})

function lookUp(value: unknown, path: string): unknown {
  let current = value
  for (const step of parsePath(path)) {
    if (
      typeof step === 'number'
        ? !Array.isArray(current)
        : typeof current !== 'object' || Array.isArray(current)
    )
      return undefined
    if (current === null || !Object.hasOwn(current as object, step)) return undefined
    current = (current as Record<string | number, unknown>)[step]
  }
  return current
}

describe('reading a value as text', () => {
  it('decodes strings and leaves everything else as written', () => {
    for (const [text, expected] of [
      ['"a\\u00e4\\n"', 'aä\n'],
      ['1.50', '1.50'],
      ['{"a": 1}', '{"a": 1}'],
    ] as const) {
      const bytes = Buffer.from(text)
      expect(readText(bytes, 0, bytes.length)).toBe(expected)
    }
    expect(kindAt(Buffer.from('-1'), 0)).toBe('number')
  })
})

describe('paths', () => {
  it.each([
    ['a.b', ['a', 'b']],
    ['$.a[0].b', ['a', 0, 'b']],
    ['$', []],
    ['[2][3]', [2, 3]],
    ['$[1].x', [1, 'x']],
    ['$a', ['$a']],
  ])('%j is read', (path, steps) => expect(parsePath(path)).toEqual(steps))

  it.each(['.', 'a.', 'a..b', 'a[', 'a[x]', 'a[01]', 'a]', 'a[0]b', '$.'])('%j is refused', path =>
    expect(() => parsePath(path)).toThrow(SyntaxError),
  )
})
