import { describe, expect, it } from 'vitest'
import { type MqbOptions, mqb, startMqb } from '../support/cli.ts'
import { type Scratch, scratch } from '../support/scratch.ts'

/** What `validate` says about the routes: `NAME: INPUT → OUTPUT`. */
async function routes(
  at: Scratch,
  args: readonly string[] = [],
  env: MqbOptions['env'] = {},
): Promise<string[]> {
  const { code, stdout, stderr } = await mqb([...args, 'validate'], { cwd: at.folder, env: env ?? {} })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return stdout.split('\n').filter(line => line.includes(' → '))
}

const body = 'input: { file: { path: in.jsonl } }, output: { file: { path: out.jsonl } }'
const indented = 'input: { file: { path: in.jsonl } }\noutput: { file: { path: out.jsonl } }\n'

describe('the shapes of a configuration file', () => {
  it('all make the same bridge', async () => {
    const at = scratch()
    at.write('full.yml', `routes: { orders: { ${body} } }`)
    at.write('named.yml', `orders: { ${body} }`)
    at.write('bare.yml', indented)
    at.write('exported.yml', `config: { routes: { orders: { ${body} } } }`)
    at.write(
      'full.json',
      JSON.stringify({
        routes: {
          orders: { input: { file: { path: 'in.jsonl' } }, output: { file: { path: 'out.jsonl' } } },
        },
      }),
    )
    for (const file of ['full.yml', 'named.yml', 'exported.yml', 'full.json'])
      expect(await routes(at, ['-c', file]), file).toEqual(['orders: file in.jsonl → file out.jsonl'])
    expect(await routes(at, ['-c', 'bare.yml'])).toEqual(['route: file in.jsonl → file out.jsonl'])
  })

  it('name what is misspelt in them', async () => {
    const at = scratch()
    at.write('bare.yml', `${indented}batch_sise: 3\n`)
    at.write('both.yml', `config: { routes: {} }\nlog_level: info\n`)
    const bare = await mqb(['-c', 'bare.yml', 'validate'], { cwd: at.folder })
    expect(bare.code).toBe(2)
    expect(bare.stderr).toMatch(/bare\.yml:3:1[\s\S]*batch_sise[\s\S]*batch_size/)
    const both = await mqb(['-c', 'both.yml', 'validate'], { cwd: at.folder })
    expect(both.code).toBe(2)
    expect(both.stderr).toContain('both.yml:1:1')
  })
})

describe('later sources win', () => {
  it('file, then override text, then environment; a real variable beats .env', async () => {
    const at = scratch()
    at.write(
      'config.yml',
      'orders: { input: { file: { path: "${NAME:-file}" } }, output: { file: { path: out } } }',
    )
    expect(await routes(at)).toEqual(['orders: file file → file out'])
    at.write('.env', 'NAME=dotenv\n')
    expect(await routes(at)).toEqual(['orders: file dotenv → file out'])
    expect(await routes(at, [], { NAME: 'real' })).toEqual(['orders: file real → file out'])
    const text = 'routes: { orders: { input: { file: { path: text } } } }'
    expect(await routes(at, ['--config-str', text])).toEqual(['orders: file text → file out'])
    expect(await routes(at, [], { CONFIG_STRING: text })).toEqual(['orders: file text → file out'])
    expect(await routes(at, ['--config-str', text], { MQB__ORDERS__INPUT__FILE__PATH: '007' })).toEqual([
      'orders: file 007 → file out',
    ])
    expect(await routes(at, [], { MQB__ROUTES__ORDERS__OUTPUT__FILE__PATH: 'by-env' })).toEqual([
      'orders: file dotenv → file by-env',
    ])
  })

  it('a template counts only while the file does not exist', async () => {
    const at = scratch()
    at.write('init.yml', `first: { ${body} }`)
    expect(await routes(at, ['-i', 'init.yml'])).toEqual(['first: file in.jsonl → file out.jsonl'])
    expect(await routes(at, ['--init-config-str', `text: { ${body} }`])).toEqual([
      'text: file in.jsonl → file out.jsonl',
    ])
    at.write('config.yml', `second: { ${body} }`)
    expect(await routes(at, ['-i', 'init.yml'])).toEqual(['second: file in.jsonl → file out.jsonl'])
  })

  it('CONFIG_FILE names the file when -c does not', async () => {
    const at = scratch()
    at.write('a.yml', `a: { ${body} }`)
    at.write('b.yml', `b: { ${body} }`)
    expect(await routes(at, [], { CONFIG_FILE: 'a.yml' })).toEqual(['a: file in.jsonl → file out.jsonl'])
    expect(await routes(at, ['-c', 'b.yml'], { CONFIG_FILE: 'a.yml' })).toEqual([
      'b: file in.jsonl → file out.jsonl',
    ])
  })
})

describe('values', () => {
  it('from the environment stay one value, whatever they hold', async () => {
    const at = scratch()
    at.write(
      'config.yml',
      'orders: { input: { file: { path: "${P}" } }, output: { file: { path: "${Q}" } } }',
    )
    expect(await routes(at, [], { P: 'a$b#c: "d" %41', Q: 'x: y' })).toEqual([
      'orders: file a$b#c: "d" %41 → file x: y',
    ])
  })

  it('that are not set are named with their place', async () => {
    const at = scratch()
    at.write('config.yml', 'orders:\n  input: { file: { path: "${NOT_SET_HERE}" } }\n')
    const { code, stderr } = await mqb(['validate'], { cwd: at.folder })
    expect(code).toBe(2)
    expect(stderr).toMatch(/config\.yml:2:[\s\S]*NOT_SET_HERE/)
  })

  it('of text fields keep the characters of the file', async () => {
    const at = scratch()
    at.write(
      'config.yml',
      'a: { input: { file: { path: 0123 } }, output: { file: { path: 1e3 } } }\nb: { input: { file: { path: no } } }\n',
    )
    expect(await routes(at)).toEqual(['a: file 0123 → file 1e3', 'b: file no → null'])
  })
})

describe('warnings', () => {
  it('are logged once when the bridge starts', async () => {
    const at = scratch()
    at.write('in', '')
    at.write(
      'config.yml',
      'r: { exit_on_empty: true, input: { file: { path: in } }, output: { file: { path: out }, middlewares: [ { retry: {} } ] } }\n',
    )
    const run = await startMqb(['--no-metrics'], { cwd: at.folder })
    await run.saying(/MQB_ROUTES_ENDED/)
    run.kill('SIGTERM')
    const { stderr } = await run.done
    expect(stderr.split('\n').filter(line => line.includes('WARN'))).toHaveLength(1)
  })
})
