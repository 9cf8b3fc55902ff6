import { describe, expect, it } from 'vitest'
import { mqb } from '../support/cli.ts'

describe('mqb eval', () => {
  it.each([
    [['0.1 + 0.2'], '0.3'],
    [['amount * 1.19', '--input', '{"amount": 10}'], '11.9'],
    [['id + 1', '--input', '{"id": 9007199254740993}'], '9007199254740994'],
    [
      ['{ a: items[0].sku, b: meta.kind }', '--input', '{"items":[{"sku":"A"}]}', '--meta', 'kind=x=y'],
      '{"a":"A","b":"x=y"}',
    ],
    [['number(meta.a) > number(meta.b)', '--meta', 'a=1', '--meta', 'b=2'], 'false'],
    [['absent'], 'null'],
    [['--', '-5 + 3'], '-2'],
  ])('prints the result of %j as JSON', async (args, expected) => {
    expect(await mqb(['eval', ...args])).toMatchObject({ code: 0, stdout: `${expected}\n`, stderr: '' })
  })

  it('names every mistake in the expression with its place, and ends with 2', async () => {
    const { code, stdout, stderr } = await mqb(['eval', 'lenght(a) +\n  uper(b)'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      'MQB_EXPRESSION_INVALID EXPRESSION\n  line 1, column 1: there is no function "lenght"',
    )
    expect(stderr).toContain('line 2, column 3: there is no function "uper"')
  })

  it('ends with 1 where the expression does not work for the input', async () => {
    const { code, stderr } = await mqb(['eval', 'a > 5', '--input', '{"a": "x"}'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mqb: line 1, column 3: > needs two numbers or two dates/)
  })

  it.each([
    [['a', '--input', '{"a":'], /MQB_USAGE --input\n {2}it is not JSON at byte/],
    [[], /the expression is missing/],
    [['a', '--meta', 'x'], /--meta takes KEY=VALUE/],
    [['a', '--stdin'], /with --stdin expressions, input and metadata come on stdin/],
    [['a', 'b'], /too many arguments/],
  ])('refuses %j', async (args, expected) => {
    const { code, stderr } = await mqb(['eval', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })
})

describe('mqb eval --stdin', () => {
  const answers = async (...lines: readonly (string | object)[]) => {
    const input = lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
    const { stdout, stderr, code } = await mqb(['eval', '--stdin'], { input })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').slice(0, -1)
  }

  it('answers each line with a result or an error, in order', async () => {
    expect(
      await answers(
        { expression: 'a + b', input: { a: 1, b: 2 } },
        { expression: 'a +' },
        '',
        { expression: 'meta.kind', meta: { kind: 'x' } },
        { expression: 'a > 5', input: { a: 'x' } },
        'no JSON',
        { input: {} },
        { expression: 'a', meta: { n: 1 } },
        { expression: 'a', input: [1] },
        { expression: '1 + 1', input: null },
      ),
    ).toEqual([
      '{"result":3}',
      expect.stringMatching(/^\{"error":"line 1, column 4: /),
      '{"result":"x"}',
      expect.stringMatching(/^\{"error":"line 1, column 3: > needs two numbers/),
      expect.stringMatching(
        /^\{"error":"the line is not JSON at byte 1: |^\{"error":"the line is not JSON at byte 0: /,
      ),
      expect.stringMatching(/^\{"error":"the line has no text \\"expression\\"/),
      expect.stringMatching(/^\{"error":"metadata is text, and \\"n\\" of \\"meta\\" is none/),
      expect.stringMatching(/^\{"error":"the payload is not a JSON object/),
      '{"result":2}',
    ])
  })

  it('loses no digit and no character', async () => {
    expect(
      await answers(
        '{"expression":"$root","input":{"id":9007199254740993,"x":1.0,"y":[1e400],"t":"\u2028"}}',
        '{"expression":"t == \\"\u2028\\" and id == 9007199254740993","input":{"id":9007199254740993,"t":"\\u2028"}}',
      ),
    ).toEqual(['{"result":{"id":9007199254740993,"x":1.0,"y":[1e400],"t":"\u2028"}}', '{"result":true}'])
  })

  it('answers a line as soon as it is there, however many there are', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => ({ expression: `${index} * 2` }))
    expect(await answers(...lines)).toEqual(lines.map((_, index) => `{"result":${index * 2}}`))
  })
})
