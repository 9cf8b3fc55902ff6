import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPlugin } from '../../src/plugins/load.ts'

let root: string
const where = '--plugin'
const load = (specifier: string, from = root) => loadPlugin({ specifier, from, where })

function write(path: string, text: string): void {
  const whole = join(root, path)
  mkdirSync(join(whole, '..'), { recursive: true })
  writeFileSync(whole, text)
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'mqb-plugins-'))
  write('plain.mjs', `export default { name: 'plain' }`)
  write('empty.mjs', 'export const x = 1')
  write('broken.mjs', `throw new Error('at import')`)
  write('folder/package.json', JSON.stringify({ type: 'module', exports: './entry.js' }))
  write('folder/entry.js', `export default { name: 'folder' }`)
  write(
    'node_modules/only-import/package.json',
    JSON.stringify({ type: 'module', exports: { '.': { import: './i.js' } } }),
  )
  write('node_modules/only-import/i.js', `export default { name: 'only-import' }`)
  write(
    'node_modules/@scope/both/package.json',
    JSON.stringify({ type: 'module', exports: { '.': { types: './x.d.ts', default: './i.js' } } }),
  )
  write('node_modules/@scope/both/i.js', `export default { name: '@scope/both' }`)
  write('deep/er/config.yml', '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a plugin', () => {
  it('is loaded from a file, a folder or an installed package', async () => {
    expect(await load('./plain.mjs')).toEqual({ name: 'plain' })
    expect(await load('plain.mjs')).toEqual({ name: 'plain' })
    expect(await load(join(root, 'plain.mjs'), '/')).toEqual({ name: 'plain' })
    expect(await load(`file://${root}/plain.mjs`, '/')).toEqual({ name: 'plain' })
    expect(await load('./folder')).toEqual({ name: 'folder' })
    expect(await load('only-import', join(root, 'deep', 'er'))).toEqual({ name: 'only-import' })
    expect(await load('@scope/both', join(root, 'deep'))).toEqual({ name: '@scope/both' })
  })

  it('that is not there is named, with where it was looked for', async () => {
    await expect(load('./gone.mjs')).rejects.toThrow(
      `MQB_PLUGIN_LOAD --plugin: there is no plugin ./gone.mjs (it was looked for in ${root})`,
    )
    await expect(load('mqb-plugin-gone')).rejects.toThrow('install it: npm install mqb-plugin-gone')
  })

  it('that cannot be loaded, or exports no default, is named', async () => {
    await expect(load('./broken.mjs')).rejects.toThrow(/broken\.mjs cannot be loaded: at import/)
    await expect(load('./empty.mjs')).rejects.toThrow(/empty\.mjs has no default export/)
  })
})
