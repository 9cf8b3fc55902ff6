import { describe, expect, it } from 'vitest'
import { fileFindings } from '../layers.ts'
import { importsOf, packageNameOf } from '../sources.ts'

const plugins = new Set(['@mqb/file', '@mqb/retry'])
const core = { name: '@mqb/core', directory: 'packages/core' }
const file = { name: '@mqb/file', directory: 'packages/connectors/file' }

const findings = (each: typeof core, path: string, text: string) =>
  fileFindings(each, { path, text }, plugins)

describe('the gate of layers', () => {
  it('lets plugins import core, its configuration and libraries', () => {
    const text =
      "import { ack } from '@mqb/core'\nimport { secret } from '@mqb/core/config'\nimport * as z from 'zod'\n"
    expect(findings(file, 'index.ts', text)).toEqual([])
  })

  it('refuses a plugin that imports another one, the runtime, or the test kit', () => {
    expect(findings(file, 'a.ts', "import retry from '@mqb/retry'\n")[0]).toContain(
      'never import one another',
    )
    expect(findings(file, 'a.ts', "export * from '@mqb/core/runtime'\n")[0]).toContain(
      'the runtime is for programs',
    )
    expect(findings(file, 'a.ts', "import type { A } from '@mqb/testkit'\n")[0]).toContain('is for tests')
  })

  it('refuses a core that knows a connector, also where it is imported late', () => {
    expect(findings(core, 'a.ts', "const file = await import('@mqb/file')\n")).toHaveLength(1)
  })

  it('refuses run-time imports in the contract', () => {
    const text = "import { ack } from '../outcome/outcome.ts'\nexport * from './consumer.ts'\n"
    expect(findings(core, 'contract/a.ts', text)).toHaveLength(2)
    const types = "import type { A } from '../outcome/outcome.ts'\nexport type * from './consumer.ts'\n"
    expect(findings(core, 'contract/a.ts', types)).toEqual([])
  })

  it('refuses paths that leave the sources of a package', () => {
    expect(findings(file, 'csv/a.ts', "import { x } from '../../../core/src/index.ts'\n")).toHaveLength(1)
    expect(findings(file, 'csv/a.ts', "import { x } from '../config.ts'\n")).toEqual([])
  })
})

describe('reading imports', () => {
  it('finds every form, over several lines too', () => {
    const text = [
      "import './side-effect.ts'",
      "import type { A } from './types.ts'",
      'import {',
      '  type B,',
      '  c,',
      "} from './several.ts'",
      "export { d } from './again.ts'",
      "const late = await import('./late.ts')",
      "// import x from './comment.ts'",
    ].join('\n')
    expect(importsOf(text)).toEqual([
      { specifier: './side-effect.ts', typeOnly: false },
      { specifier: './types.ts', typeOnly: true },
      { specifier: './several.ts', typeOnly: false },
      { specifier: './again.ts', typeOnly: false },
      { specifier: './late.ts', typeOnly: false },
    ])
  })

  it('knows the package of an entry', () => {
    expect(packageNameOf('@mqb/core/config')).toBe('@mqb/core')
    expect(packageNameOf('zod/v4')).toBe('zod')
    expect(packageNameOf('node:fs')).toBeUndefined()
    expect(packageNameOf('./a.ts')).toBeUndefined()
  })
})
