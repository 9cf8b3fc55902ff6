import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const packages = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const tsc = join(packages, '..', 'node_modules', 'typescript', 'bin', 'tsc')

/**
 * Builds a package of the workspace from its sources, packs it, and unpacks the tarball where a project in `project`
 * finds it. Nothing is written into the package's own folder, so that no build has to come first.
 */
export async function installTarball(name: string, project: string): Promise<void> {
  const source = join(packages, name)
  const stage = join(project, 'stage', name)
  const target = join(project, 'node_modules', '@mqb', name)
  await mkdir(stage, { recursive: true })
  await mkdir(target, { recursive: true })
  await run(process.execPath, [
    tsc,
    ...['-p', join(source, 'tsconfig.json'), '--outDir', join(stage, 'dist')],
    // Types are the business of the type check; here the packages may not have been built that it would need.
    ...['--noCheck', '--declaration', 'false'],
  ])
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Record<string, unknown>
  // What a publish makes of `workspace:^`.
  const published = {
    ...manifest,
    peerDependencies: undefined,
    devDependencies: undefined,
    scripts: undefined,
  }
  await writeFile(join(stage, 'package.json'), JSON.stringify(published))
  for (const file of ['README.md', 'LICENSE']) await cp(join(source, file), join(stage, file)).catch(() => {})
  const { stdout } = await run(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', project],
    {
      cwd: stage,
    },
  )
  await run('tar', ['-xzf', join(project, stdout.trim()), '-C', target, '--strip-components=1'])
  const dependencies = Object.keys((manifest.dependencies as Record<string, string> | undefined) ?? {})
  // Packages of the workspace come as tarballs of their own: a link would lead back into its sources.
  for (const dependency of dependencies.filter(name => !name.startsWith('@mqb/')))
    await linkDependency(join(source, 'node_modules', dependency), join(project, 'node_modules', dependency))
}

async function linkDependency(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await symlink(from, to, 'dir').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
