import { describe, expect, it } from 'vitest'
import { compileExpression, EvaluationError, ExpressionError } from '../src/index.ts'
import { documentOf, run } from './support/documents.ts'

describe('large expressions', () => {
  it.each([
    ['a sum', `${'1 + '.repeat(25_000)}1`, '25001'],
    ['a chain of conditions', `${'x == 1 or '.repeat(10_000)}true`, 'true'],
    ['a list', `len([${'1,'.repeat(50_000)}1])`, '50001'],
    ['cases', `${'x == 2 ? 1 : '.repeat(8_000)}3`, '3'],
    ['a text', `len("${'x'.repeat(100_000)}")`, '100000'],
    ['a template', `len(\`${'${1}a'.repeat(15_000)}\`)`, '30000'],
  ])('%s of 100 kB', (_, source, value) => {
    expect(run(source, '{"x":0}')).toBe(value)
  })

  it.each([
    ['brackets', '('.repeat(50_000)],
    ['closed brackets', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['arrays', '['.repeat(50_000)],
    ['objects', '{a:'.repeat(30_000)],
    ['signs', `${'-'.repeat(50_000)}1`],
    ['negations', `${'not '.repeat(25_000)}true`],
    ['powers', `${'2^'.repeat(50_000)}1`],
    ['templates', '`${'.repeat(30_000)],
    ['calls', 'len('.repeat(25_000)],
    ['steps', `a${'.b'.repeat(50_000)}`],
    ['conditions within conditions', 'x ? '.repeat(25_000)],
  ])('that nest too deeply are refused: %s', (_, source) => {
    expect(() => compileExpression(source)).toThrow(ExpressionError)
    try {
      compileExpression(source)
    } catch (error) {
      expect((error as Error).message).toMatch(/more than 200 (levels deep|steps)/)
    }
  })

  it.each([
    ['symbols', '€'.repeat(100_000)],
    ['unknown functions', 'f(1) + '.repeat(15_000)],
    ['templates', '`a` + '.repeat(16_000)],
    ['open texts in lists', `[${'(1 2), '.repeat(15_000)}]`],
    ['fields', `${Array.from({ length: 8000 }, (_, index) => `f${index} == 1`).join(' or ')}`],
  ])('are read to the end, mistakes or not, and at most 50 mistakes are told: %s', (_, source) => {
    try {
      compileExpression(source)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      expect(error.problems.length).toBeLessThanOrEqual(50)
    }
  })

  it('that are longer than a million characters are refused', () => {
    expect(() => compileExpression('x'.repeat(1_000_001))).toThrow('has more than 1000000 characters')
  })
})

describe('hostile payloads', () => {
  it('of 10 000 levels are passed on, and refused where something looks inside', () => {
    const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)},"b":1}`
    expect(run('b', deep)).toBe('1')
    expect(run('{ x: a }', deep)).toBe(`{"x":${deep.slice(5, 20_005)}}`)
    expect(() => run('len(a)', deep)).toThrow('the value nests more than 2000 levels deep; pass it on whole')
  })

  it('with numbers of a megabyte are told apart from what can be computed with', () => {
    const long = `{"a":1${'0'.repeat(1_000_000)},"b":0.${'1'.repeat(1_000_000)}}`
    expect(run('b > 0.1', long)).toBe('true')
    expect(() => run('a > 1', long)).toThrow(EvaluationError)
  })

  it('with bytes that are no UTF-8 are read with replacement characters', () => {
    const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])
    expect(compileExpression('a').evaluate({ bytes, start: 0, end: bytes.length, metadataPairs: [] })).toBe(
      '\ufffd',
    )
  })
})

describe('work', () => {
  it('of regular expressions grows with the text only', () => {
    const text = 'a'.repeat(50_000)
    expect(run('matches(s, "(a+)+$")', { s: `${text}!` })).toBe('false')
    expect(run('extract(s, "(a|a)*b")', { s: text })).toBe('[]')
    expect(() => run('matches("a", p)', { p: '(a)\\1' })).toThrow('the regular expression can not be read')
    expect(() => run('matches("a", p)', { p: '(?=a)' })).toThrow('without look-around and back-references')
  })

  it('of intervals, similarities and powers is limited', () => {
    expect(() => run('map([1..1000001], #)')).toThrow('can not count the interval up')
    expect(() => run('map([1..1e20], #)')).toThrow('can not count the interval up')
    expect(() => run('fuzzyMatch(s, s)', { s: 'x'.repeat(2001) })).toThrow('are not compared')
    expect(run('string(1.00000001 ^ 4000000000) != ""')).toBe('true')
    expect(() => run('9 ^ 9 ^ 9')).toThrow('there is no such power')
  })

  it('of dates is limited to dates that exist', () => {
    expect(run("d('2023-10-15').add(9007199254740991, 's').isValid()")).toBe('false')
    expect(run('d(9007199254740991).isValid()')).toBe('false')
    expect(run("d('2023-10-15').add(2147483647, 'y').isValid()")).toBe('false')
  })

  it('keeps no payload alive after an evaluation', () => {
    const expression = compileExpression('a')
    expression.evaluate(documentOf('{"a":1}'))
    expect(JSON.stringify(expression)).not.toContain('"bytes":{"0"')
  })
})
