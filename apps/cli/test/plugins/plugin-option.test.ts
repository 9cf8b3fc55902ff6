import { describe, expect, it } from 'vitest'
import { mqb, startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const middleware = (name: string, wrap: string): string => `export default {
  name: '${name}', contract: 1,
  middlewares: { '${name}': {
    summary: 'x', config: { type: 'object', properties: { token: { type: 'string', writeOnly: true } } }, examples: [],
    wrapPublisher(inner, config) { ${wrap} },
  } },
}`

describe('a plugin of the configuration', () => {
  it('is found relative to the file that names it', async () => {
    const at = scratch()
    at.write('deep/plugin.mjs', middleware('nothing', 'return inner'))
    at.write(
      'deep/c.yml',
      `plugins: [./plugin.mjs]\nr: { input: { static: x }, output: { "null": null, middlewares: [ { nothing: {} } ] } }\n`,
    )
    expect(await mqb(['-c', 'deep/c.yml', 'validate'], { cwd: at.folder })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  it('that cannot be loaded is reported with everything else that is wrong', async () => {
    const at = scratch()
    at.write('broken.mjs', `throw new Error('at import')`)
    at.write('odd.mjs', `export default { name: 'odd' }`)
    at.write(
      'c.yml',
      'plugins: [./broken.mjs, mqb-plugin-gone]\nr: { input: { static: x }, output: { nul: {} } }\n',
    )
    const { code, stderr } = await mqb(['--plugin', './odd.mjs', '-c', 'c.yml', 'validate'], {
      cwd: at.folder,
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(/MQB_PLUGIN_INVALID --plugin\n.*carries no contract version/)
    expect(stderr).toMatch(/MQB_PLUGIN_LOAD plugins\[0\]\n.*broken\.mjs cannot be loaded: at import/)
    expect(stderr).toMatch(
      /MQB_PLUGIN_LOAD plugins\[1\]\n.*no plugin mqb-plugin-gone\n.*npm install mqb-plugin-gone/,
    )
    expect(stderr).toMatch(/c\.yml:2:[\s\S]*null/)
  })

  it('that throws when it is looked at, cannot be read, or never finishes loading is an error like all others', async () => {
    const at = scratch()
    at.write('trap.mjs', `export default new Proxy({}, { get() { throw new Error('a trap') } })`)
    at.write('folder/package.json', '{ no json')
    at.write('endless.mjs', 'await new Promise(() => {})')
    at.write('c.yml', 'plugins: [./trap.mjs, ./folder, ./endless.mjs]\n')
    const { code, stderr } = await mqb(['-c', 'c.yml', 'validate'], { cwd: at.folder })
    expect(stderr).toMatch(/MQB_PLUGIN_INVALID plugins\[0\]\n.*a trap/)
    expect(stderr).toMatch(/MQB_PLUGIN_LOAD plugins\[1\]\n.*folder cannot be read: .*JSON/)
    expect(stderr).toMatch(/MQB_PLUGIN_LOAD plugins\[2\]\n.*not loaded after 10 s/)
    expect(code).toBe(2)
  })

  it('that takes a name which is taken is refused', async () => {
    const at = scratch()
    at.write('retry.mjs', middleware('retry', 'return inner'))
    const { code, stderr } = await mqb(
      ['--plugin', './retry.mjs', 'copy', 'static:?body=x', 'null:', '--drain'],
      { cwd: at.folder },
    )
    expect(code).toBe(2)
    expect(stderr).toMatch(/MQB_NAME_TAKEN --plugin\n.*retry.*@mqb\/retry/)
  })

  it('that fails where nobody catches it ends the process with 1, without its secrets', async () => {
    const at = scratch()
    at.write(
      'wild.mjs',
      middleware(
        'wild',
        `setTimeout(() => { throw new Error('wild with ' + config.token) }, 10); return inner`,
      ),
    )
    at.write(
      'c.yml',
      `plugins: [./wild.mjs]\nr: { input: { memory: { topic: t } }, output: { "null": null, middlewares: [ { wild: { token: 'hunter22' } } ] } }\n`,
    )
    const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    const { code, stderr } = await run.done
    expect(code).toBe(1)
    expect(stderr).toContain('an error that nobody caught: wild with ***')
    expect(stderr).not.toContain('hunter22')
  })
})
