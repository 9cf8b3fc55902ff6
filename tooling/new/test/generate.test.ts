import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problems } from '../../gates/manifests.ts'
import { type PackageManifest, workspaceRoot } from '../../workspace/packages.ts'
import { changesetFor, packageFiles, packageKinds, writeFiles } from '../generate.ts'
import { namesOf } from '../names.ts'

// As deep in the workspace as a real package, so that what it refers to is found. Nothing else looks into it.
const parent = join(workspaceRoot, 'tooling', '.generated')

describe.each(packageKinds)('a generated %s', kind => {
  const name = `sample-${kind}`
  let folder: string

  beforeAll(() => {
    mkdirSync(parent, { recursive: true })
    folder = mkdtempSync(join(parent, `${kind}-`))
    writeFiles(folder, packageFiles(kind, name))
    writeFileSync(
      join(folder, 'tsconfig.check.json'),
      JSON.stringify({ extends: '../../../tsconfig.json', include: ['src', 'test'], exclude: [] }),
    )
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('type-checks', () => {
    expect(run(['tsc', '-p', join(folder, 'tsconfig.check.json')])).toBe('')
  })

  it('passes its own tests', () => {
    const config = join(workspaceRoot, 'tooling', 'new', 'test', 'generated.config.ts')
    expect(run(['vitest', 'run', '--config', config, '--root', folder])).toBe('')
  }, 120_000)

  it('has nothing to lint once it is formatted', () => {
    expect(run(['biome', 'check', '--write', '--error-on-warnings', '--vcs-enabled=false', folder])).toBe('')
  })

  it('has a manifest as packages must have it', () => {
    const directory = `packages/${kind}s/${name}`
    const manifest = JSON.parse(packageFiles(kind, name).get('package.json') ?? '') as PackageManifest
    expect(problems({ name: manifest.name, folder, directory, manifest })).toEqual([])
  })

  it('comes with a changeset that names it', () => {
    expect(changesetFor(kind, name)).toContain(`'@mqb/${name}': minor`)
  })
})

describe('names', () => {
  it('has every spelling of a name', () => {
    expect(namesOf('weak_join')).toEqual({
      kebab: 'weak-join',
      snake: 'weak_join',
      camel: 'weakJoin',
      Pascal: 'WeakJoin',
      UPPER: 'WEAK_JOIN',
      words: 'weak join',
    })
  })

  it.each(['', 'Kafka', '9lives', 'a--b', '../x'])('refuses %j', text => {
    expect(() => namesOf(text)).toThrow('cannot be a name')
  })
})

/** What a command printed when it failed; empty when all is well. */
function run([command = '', ...args]: readonly string[]): string {
  const answer = spawnSync(join(workspaceRoot, 'node_modules', '.bin', command), args, {
    cwd: workspaceRoot,
    encoding: 'utf8',
    // The process that runs this test is a test runner itself.
    env: {
      ...process.env,
      VITEST: undefined,
      VITEST_POOL_ID: undefined,
      VITEST_WORKER_ID: undefined,
      MQB_TEST_SUMMARY: undefined,
    },
  })
  return answer.status === 0 ? '' : `${answer.stdout}${answer.stderr}${answer.error ?? ''}`
}
