import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages, type WorkspacePackage } from '../workspace/packages.ts'
import { isPluginDirectory } from '../workspace/plugins.ts'

/** What every published package has in its manifest and beside it. */
export function manifestFindings(): string[] {
  return publicPackages().flatMap(each =>
    problems(each).map(problem => `${each.directory}/package.json: ${problem}`),
  )
}

export function problems({ name, folder, directory, manifest }: WorkspacePackage): string[] {
  const found: string[] = []
  const expect = (holds: boolean, problem: string) => {
    if (!holds) found.push(problem)
  }
  expect(/^@mqb\/[a-z0-9-]+$/.test(name), 'name must be @mqb/ and lower case words with hyphens')
  expect((manifest.description ?? '') !== '', 'description is missing')
  expect(manifest.license === 'MIT', 'license must be MIT')
  expect(manifest.type === 'module', 'type must be module')
  expect(manifest.engines?.node === '>=20.19', 'engines.node must be >=20.19')
  expect(manifest.repository?.directory === directory, `repository.directory must be ${directory}`)
  expect(manifest.publishConfig?.access === 'public', 'publishConfig.access must be public')
  expect(manifest.exports?.['./package.json'] !== undefined, 'exports must have ./package.json')
  for (const file of ['dist', 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    expect(manifest.files?.includes(file) === true, `files must list ${file}`)
  }
  for (const [entry, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === 'string') continue
    expect(Object.keys(target)[0] === 'types', `exports["${entry}"] must have types first`)
  }
  for (const file of ['README.md', 'LICENSE']) {
    expect(existsSync(join(folder, file)), `${file} is missing beside it`)
  }
  if (isPluginDirectory(directory)) {
    expect(manifest.sideEffects === false, 'sideEffects must be false: importing a plugin does nothing')
    expect(manifest.peerDependencies?.['@mqb/core'] === 'workspace:^', 'peerDependencies must have @mqb/core')
    expect(manifest.dependencies?.['@mqb/core'] === undefined, '@mqb/core is a peer, not a dependency')
    expect(manifest.devDependencies?.['@mqb/core'] === 'workspace:*', 'devDependencies must have @mqb/core')
  }
  return found
}
