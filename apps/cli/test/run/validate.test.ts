import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ensureBuilt, repository } from '../support/build.ts'
import { mqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'trouble.mjs')

describe('mqb validate', () => {
  it('shows each route with its guarantee, and opens nothing', async () => {
    const at = scratch()
    at.write(
      'c.yml',
      `plugins: ['${plugin}']
routes:
  one: { input: { file: { path: missing.jsonl, mode: group_subscribe, group_id: g } }, output: { trouble: { fail: open } } }
  two: { enabled: false, input: { memory: { topic: t } }, output: { file: { path: b.jsonl } } }
`,
    )
    for (const args of [
      ['-c', 'c.yml', 'validate'],
      ['validate', '-c', 'c.yml'],
    ]) {
      const run = await mqb(args, { cwd: at.folder })
      expect(run.stdout).toMatch(/one: .*\n {2}at-least-once: /)
      expect(run.stdout).toMatch(/two.*disabled/)
      expect(run.stdout).toMatch(/2 routes/)
      expect(run.code).toBe(0)
      expect(at.lines('b.jsonl')).toEqual([])
    }
  })

  it('prints warnings and still ends with 0', async () => {
    const at = scratch()
    at.write(
      'config.yml',
      `routes:\n  r: { input: { file: { path: a } }, output: { file: { path: b }, middlewares: [ { retry: {} } ] } }\n`,
    )
    const run = await mqb(['validate'], { cwd: at.folder })
    expect(run.stderr).toMatch(/warning .*retry/)
    expect(run.code).toBe(0)
  })

  it('ends with 2 and every problem', async () => {
    const at = scratch()
    at.write('config.yml', `routes:\n  r: { input: { flie: {} }, output: { file: { pth: b } } }\n`)
    const run = await mqb(['validate'], { cwd: at.folder })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(/config\.yml:2:[\s\S]*file[\s\S]*config\.yml:2:[\s\S]*path/)
  })

  it('ends with 2 when the file is not there', async () => {
    const run = await mqb(['-c', 'gone.yml', 'validate'], { cwd: scratch().folder })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('gone.yml') })
  })

  it('knows what belongs to other releases', async () => {
    const at = scratch()
    at.write('config.yml', `ui_addr: 127.0.0.1:1\nroutes: {}\n`)
    const run = await mqb(['validate'], { cwd: at.folder })
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('ui_addr')
  })
})

describe('what mqb would refuse to run', () => {
  const refused: [what: string, config: string, env: Record<string, string>, where: RegExp][] = [
    ['a log level in the file', 'log_level: loud', {}, /^MQB_LOG_LEVEL log_level/m],
    ['a log level in the environment', 'logger: json', { MQB_LOG: 'core=loud' }, /^MQB_LOG_LEVEL MQB_LOG/m],
    ['a port that is none', 'metrics_addr: 127.0.0.1:65536', {}, /^MQB_CONFIG_INVALID metrics_addr/m],
  ]
  it.each(refused)('%s is refused by validate too', async (_, config, env, where) => {
    const at = scratch()
    at.write('config.yml', `${config}\n`)
    for (const args of [['validate'], ['--no-metrics']]) {
      const { code, stderr } = await mqb(args, { cwd: at.folder, env })
      expect(stderr).toMatch(where)
      expect(code).toBe(2)
    }
  })
})

describe('mqb validate without a configuration', () => {
  it('says how to name one', async () => {
    const { code, stdout } = await mqb(['validate'], { cwd: scratch().folder })
    expect(stdout).toContain('0 routes, no mistakes found; -c names another configuration')
    expect(code).toBe(0)
  })
})

describe('variables of parts that are not there', () => {
  it('are said to have no effect, each once', async () => {
    const at = scratch()
    at.write('config.yml', 'routes: {}\n')
    const { code, stderr } = await mqb(['validate'], {
      cwd: at.folder,
      env: { MQB_PLUGIN_DIR: 's3cr3t', MQB_PLUGIN_DISCOVERY: '0', MQB_UI_TOKEN: 's3cr3t' },
    })
    expect(stderr.match(/no effect/g)).toHaveLength(2)
    expect(stderr).toMatch(/warning MQB_CONFIG_LATER MQB_PLUGIN_DIR\n.*\n.*--plugin/)
    expect(stderr).not.toContain('s3cr3t')
    expect(code).toBe(0)
  })
})

describe('mqb --schema', () => {
  it('prints a JSON Schema with the endpoints of plugins in it', async () => {
    const run = await mqb(['--schema', '-', '--plugin', plugin])
    expect(run.code).toBe(0)
    const schema = JSON.parse(run.stdout) as object
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { 'endpoint.trouble': { properties: { delay_ms: { description: 'Before each answer.' } } } },
    })
    expect(run.stdout).toContain('group_subscribe')
  })

  it('writes it to a file', async () => {
    const at = scratch()
    const run = await mqb(['--schema', 'schema.json'], { cwd: at.folder })
    expect(run.code).toBe(0)
    expect(JSON.parse(at.read('schema.json'))).toHaveProperty('$defs')
  })
})

describe('mqb', () => {
  it('is at the root of the checkout after install and build', async () => {
    await ensureBuilt()
    const { stdout } = await promisify(execFile)(join(repository, 'node_modules', '.bin', 'mqb'), [
      '--version',
    ])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('prints its version and its help', async () => {
    expect(await mqb(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
    expect(await mqb(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('copy') })
  })

  it('refuses what it does not know with 2 and one line that helps', async () => {
    expect(await mqb(['frobnicate'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'mqb: "frobnicate" is no command\n  the commands are copy, eval and validate; see mqb --help\n',
    })
  })
})
