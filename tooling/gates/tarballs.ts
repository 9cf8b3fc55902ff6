import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type PackageManifest,
  publicPackages,
  type WorkspacePackage,
  workspaceRoot,
} from '../workspace/packages.ts'

/**
 * Packs every published package as the registry would get it, lays it out in an empty folder with nothing but what its
 * manifest names, imports each of its entries, and lets the compiler resolve all their types.
 */
export function tarballFindings(): string[] {
  const packages = publicPackages()
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'mqb-tarballs-'))
  try {
    const unbuilt = packages.filter(each => !existsSync(join(each.folder, 'dist')))
    if (unbuilt.length > 0)
      return unbuilt.map(each => `${each.directory} has no dist: run "pnpm build" first`)
    for (const each of packages) unpack(each, scratch)
    for (const each of packages) linkDependencies(each, scratch)
    return [
      ...packages.flatMap(each => contentFindings(each, scratch)),
      ...packages.flatMap(each => importFindings(each, scratch)),
      ...typeFindings(packages, scratch),
    ]
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Each package has a `node_modules` of its own, so that it sees its own dependencies only. */
const homeOf = (scratch: string, name: string) => join(scratch, name.replace('/', '+'), 'node_modules')
const folderOf = (scratch: string, name: string) => join(homeOf(scratch, name), name)

function unpack(each: WorkspacePackage, scratch: string): void {
  const target = folderOf(scratch, each.name)
  mkdirSync(target, { recursive: true })
  const tarball = join(scratch, `${each.name.replace('/', '+')}.tgz`)
  execFileSync('pnpm', ['pack', '--out', tarball], {
    cwd: each.folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
}

function linkDependencies(each: WorkspacePackage, scratch: string): void {
  for (const name of dependencyNames(manifestIn(folderOf(scratch, each.name)))) {
    const ours = folderOf(scratch, name)
    const link = join(homeOf(scratch, each.name), name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(existsSync(ours) ? ours : realpathSync(join(each.folder, 'node_modules', name)), link, 'dir')
  }
}

function contentFindings(each: WorkspacePackage, scratch: string): string[] {
  const folder = folderOf(scratch, each.name)
  const manifest = manifestIn(folder)
  const has = (path: string) => existsSync(join(folder, path))
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
  return [
    ...['README.md', 'LICENSE'].filter(file => !has(file)).map(file => `${file} is not in it`),
    ...['src', 'test', 'node_modules'].filter(has).map(file => `${file} must not be in it`),
    ...targetsOf(manifest)
      .filter(target => !has(target))
      .map(target => `exports or bin name ${target}, which is not in it`),
    ...ranges
      .filter(([, range]) => range.startsWith('workspace:'))
      .map(([name, range]) => `${name} still has the range ${range}`),
  ].map(finding => `${each.name}: ${finding}`)
}

/** Imports each entry in a process of its own, which must end by itself: importing starts nothing. */
function importFindings(each: WorkspacePackage, scratch: string): string[] {
  const specifiers = entriesOf(each)
  const script = join(scratch, each.name.replace('/', '+'), 'import.mjs')
  writeFileSync(script, specifiers.map(specifier => `await import('${specifier}')\n`).join(''))
  const answer = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 20_000 })
  if (answer.error !== undefined) return [`${each.name}: importing it does not end: ${answer.error.message}`]
  if (answer.status !== 0) return [`${each.name}: importing it fails\n${answer.stderr}`]
  return answer.stdout === '' ? [] : [`${each.name}: importing it prints ${JSON.stringify(answer.stdout)}`]
}

/** One program that imports everything, compiled strictly and with the declarations checked. */
function typeFindings(packages: readonly WorkspacePackage[], scratch: string): string[] {
  const folder = join(scratch, 'types')
  mkdirSync(join(folder, 'node_modules', '@mqb'), { recursive: true })
  mkdirSync(join(folder, 'node_modules', '@types'))
  symlinkSync(
    realpathSync(join(workspaceRoot, 'node_modules', '@types', 'node')),
    join(folder, 'node_modules', '@types', 'node'),
    'dir',
  )
  for (const { name } of packages)
    symlinkSync(folderOf(scratch, name), join(folder, 'node_modules', name), 'dir')
  const lines = packages
    .flatMap(entriesOf)
    .map((specifier, index) => `export * as e${index} from '${specifier}'`)
  writeFileSync(join(folder, 'index.ts'), `${lines.join('\n')}\n`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compiler = join(workspaceRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const options =
    '--noEmit --strict --target es2023 --module nodenext --types node --skipLibCheck false'.split(' ')
  const answer = spawnSync(process.execPath, [compiler, ...options, 'index.ts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return answer.status === 0 ? [] : [`types of the packed packages:\n${answer.stdout}${answer.stderr}`]
}

function entriesOf({ name, manifest }: WorkspacePackage): string[] {
  return Object.keys(manifest.exports ?? {})
    .filter(entry => entry !== './package.json')
    .map(entry => (entry === '.' ? name : `${name}/${entry.slice(2)}`))
}

function targetsOf(manifest: PackageManifest): string[] {
  const exported = Object.values(manifest.exports ?? {}).flatMap(target =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  return [...exported, ...Object.values(manifest.bin ?? {})]
}

function dependencyNames(manifest: PackageManifest): string[] {
  return [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.peerDependencies ?? {})]
}

function manifestIn(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest
}
