import { describe, expect, it } from 'vitest'
import type { Invocation } from '../../src/arguments/invocation.ts'
import { parseArguments } from '../../src/arguments/parse.ts'

const parse = (...args: string[]): Invocation => parseArguments(args, '1.2.3')

function problem(...args: string[]): string {
  const invocation = parse(...args)
  if (invocation.command !== 'misused') throw new Error(`accepted: ${JSON.stringify(invocation)}`)
  return `${invocation.problem.what}; ${invocation.problem.mend}`
}

const globals = { plugins: [], color: 'auto' }

describe('mqb', () => {
  it('runs a configuration when no command is named', () => {
    expect(parse()).toEqual({ command: 'run', metrics: true, ...globals })
    expect(parse('-c', 'a.yml', '--config-str', '{}', '-i', 'b.yml', '--init-config-str', 'x: 1')).toEqual({
      command: 'run',
      metrics: true,
      config: 'a.yml',
      configText: '{}',
      initConfig: 'b.yml',
      initConfigText: 'x: 1',
      ...globals,
    })
    expect(parse('--no-metrics')).toMatchObject({ metrics: false })
    expect(parse('--metrics-addr', '0.0.0.0:1')).toMatchObject({ metrics: true, metricsAddress: '0.0.0.0:1' })
  })

  it('takes plugins and colour before and after a command', () => {
    expect(
      parse('--plugin', 'a', '--color', 'never', 'copy', 'x:', 'y:', '--plugin', './b.js'),
    ).toMatchObject({
      plugins: ['a', './b.js'],
      color: 'never',
    })
    expect(parse('validate', '--color=always')).toMatchObject({ color: 'always' })
  })

  it('prints help and version', () => {
    expect(parse('--version')).toEqual({ command: 'print', text: '1.2.3' })
    for (const args of [['--help'], ['copy', '--help'], ['validate', '--help']])
      expect(parse(...args)).toMatchObject({ command: 'print', text: expect.stringContaining('Usage: mqb') })
    const help = parse('--help')
    expect(help.command === 'print' && help.text).not.toMatch(/--ui|mcp|resume|words/)
  })

  it('writes a schema', () => {
    expect(parse('--schema', '-')).toMatchObject({ command: 'schema', path: '-' })
    expect(parse('--schema', 'x.json', '--plugin', 'p')).toMatchObject({ command: 'schema', plugins: ['p'] })
  })

  it('validates, with -c before or after', () => {
    expect(parse('-c', 'a.yml', 'validate')).toEqual({ command: 'validate', config: 'a.yml', ...globals })
    expect(parse('validate', '-c', 'a.yml')).toEqual({ command: 'validate', config: 'a.yml', ...globals })
  })
})

describe('mqb copy', () => {
  it('takes two URIs, or --from and --to', () => {
    const plain = {
      command: 'copy',
      source: 'file:a',
      target: 'file:b',
      drain: false,
      verbose: false,
      ...globals,
    }
    expect(parse('copy', 'file:a', 'file:b')).toEqual(plain)
    expect(parse('copy', '--to', 'file:b', '--from', 'file:a')).toEqual(plain)
  })

  it('takes - with parameters and middlewares as a URI', () => {
    expect(parse('copy', '-', '-')).toMatchObject({ source: '-', target: '-' })
    expect(parse('copy', '-?format=csv', '-|buffer', '--drain')).toMatchObject({
      source: '-?format=csv',
      target: '-|buffer',
    })
    expect(parse('copy', '--from', '-?format=csv', '--to', '-')).toMatchObject({ source: '-?format=csv' })
  })

  it('takes its options', () => {
    expect(
      parse(
        'copy',
        'a:',
        'b:',
        '--limit',
        '1_000',
        '-v',
        '--concurrency',
        '2',
        '--batch-size=10',
        '--wait',
        '0.5',
      ),
    ).toMatchObject({ limit: 1000, verbose: true, concurrency: 2, batchSize: 10, waitMs: 500, drain: true })
    expect(parse('copy', 'a:', 'b:', '--wait', '0')).toMatchObject({ waitMs: 0, drain: true })
    expect(parse('copy', 'a:', 'b:', '--drain')).toMatchObject({ drain: true })
  })
})

describe('a wrong command line', () => {
  const cases: [string[], string][] = [
    [
      ['copy'],
      'copy needs a source and a target; for example: mqb copy file:in.jsonl file:out.jsonl --drain',
    ],
    [['copy', 'a:'], 'the target is missing; add a second URI; - is stdout, null: discards'],
    [['copy', '--from', 'a:'], '--to is missing; --from and --to go together'],
    [['copy', '--to', 'a:'], '--from is missing; --from and --to go together'],
    [
      ['copy', 'a:', '--from', 'b:', '--to', 'c:'],
      'two URIs and --from, --to are two ways to say the same; use one of them',
    ],
    [
      ['copy', 'a:', 'b:', 'c:'],
      "too many arguments for 'copy'. Expected 2 arguments but got 3; see mqb copy --help",
    ],
    [['copy', 'a:', 'b:', '--drian'], "unknown option '--drian'; Did you mean --drain?"],
    [
      ['copy', 'a:', 'b:', '--limit', '0'],
      "option '--limit <rows>' argument '0' is invalid: expected a whole number of at least 1; see mqb copy --help",
    ],
    [
      ['copy', 'a:', 'b:', '--concurrency', '1025'],
      "option '--concurrency <batches>' argument '1025' is invalid: expected a whole number from 1 to 1024; see mqb copy --help",
    ],
    [
      ['copy', 'a:', 'b:', '--wait', 'x'],
      "option '--wait <seconds>' argument 'x' is invalid: expected seconds from 0 to 2592000; see mqb copy --help",
    ],
    [['copy', 'a:', 'b:', '-c', 'x'], 'copy reads no configuration; leave out -c'],
    [
      ['-c', 'x', 'copy', 'a:', 'b:'],
      '--config has no place here: copy reads no configuration and serves no metrics; leave it out',
    ],
    [['--no-metrics', 'validate'], '--no-metrics has no place here: validate runs nothing; leave it out'],
    [
      ['--metrics-addr', 'x', '--no-metrics'],
      "option '--metrics-addr <address>' cannot be used with option '--no-metrics'; see mqb --help",
    ],
    [
      ['--color', 'pink'],
      "option '--color <when>' argument 'pink' is invalid: Allowed choices are auto, always, never; see mqb --help",
    ],
    [['-c'], "option '-c, --config <path>' argument missing; see mqb --help"],
    [
      ['cpoy', 'a:', 'b:', '--drain'],
      '"cpoy" is no command; the commands are copy, eval and validate; see mqb --help',
    ],
    [['cpoy'], '"cpoy" is no command; the commands are copy, eval and validate; see mqb --help'],
    [['file:a', 'file:b'], '"file:a" is no command; to copy from one URI to another: mqb copy SOURCE TARGET'],
  ]
  for (const [args, expected] of cases)
    it(`mqb ${args.join(' ')}`, () => expect(problem(...args)).toBe(expected))
})

describe('what other releases have', () => {
  const cases: [string[], string][] = [
    [['--ui'], '--ui is not available in this version of mqb (the web UI); leave it out'],
    [['--no-ui'], '--no-ui is not available in this version of mqb (the web UI); leave it out'],
    [
      ['copy', 'a:', 'b:', '--resume'],
      '--resume is not available in this version of mqb (resuming a copy); leave it out',
    ],
    [
      ['copy', 'a:', 'b:', '--no-resume'],
      '--no-resume is not available in this version of mqb (resuming a copy); leave it out',
    ],
    [
      ['--report-to-ui=false'],
      '--report-to-ui is not available in this version of mqb (the table of running mqb processes); leave it out',
    ],
    [
      ['copy', 'a:', 'b:', '--no-report-to-ui'],
      '--no-report-to-ui is not available in this version of mqb (the table of running mqb processes); leave it out',
    ],
    [
      ['mcp', 'install', '--client', 'x'],
      'mcp is not available in this version of mqb (the MCP server); mqb --help lists what there is',
    ],
    [
      ['-c', 'x', 'checkpoint', 'show', '--route', 'r'],
      'checkpoint is not available in this version of mqb (reading and editing resume positions); mqb --help lists what there is',
    ],
    [
      ['status', '--json'],
      'status is not available in this version of mqb (the table of running mqb processes); mqb --help lists what there is',
    ],
    [
      ['agent-listen', 'x'],
      'agent-listen is not available in this version of mqb (waiting on an agent inbox); mqb --help lists what there is',
    ],
    [
      ['to-cli'],
      'to-cli is not available in this version of mqb (printing a configuration as a command); mqb --help lists what there is',
    ],
  ]
  for (const [args, expected] of cases)
    it(`mqb ${args.join(' ')}`, () => expect(problem(...args)).toBe(expected))
})
