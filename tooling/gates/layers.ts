import { join, posix } from 'node:path'
import { publicPackages, type WorkspacePackage } from '../workspace/packages.ts'
import { isPluginDirectory } from '../workspace/plugins.ts'
import { importsOf, packageNameOf, type SourceFile, sourceFiles } from './sources.ts'

/** What the lower packages may import of ours. All others may import any library, and no plugin. */
const lower: Readonly<Record<string, readonly string[]>> = {
  '@mqb/json': [],
  '@mqb/expression': ['@mqb/json'],
  '@mqb/core': ['@mqb/json', '@mqb/expression'],
}

/** Who may not import whom, and whether manifests list exactly what sources import. */
export function layerFindings(): string[] {
  const packages = publicPackages()
  const plugins = new Set(packages.filter(each => isPluginDirectory(each.directory)).map(each => each.name))
  return packages.flatMap(each => {
    const files = sourceFiles(join(each.folder, 'src'))
    return [
      ...files.flatMap(file => fileFindings(each, file, plugins)),
      ...dependencyFindings(each, files),
    ].map(finding => `${each.directory}/${finding}`)
  })
}

export function fileFindings(
  each: Pick<WorkspacePackage, 'name' | 'directory'>,
  file: SourceFile,
  plugins: ReadonlySet<string>,
): string[] {
  const findings: string[] = []
  const isContract = each.name === '@mqb/core' && file.path.startsWith('contract/')
  for (const { specifier, typeOnly } of importsOf(file.text)) {
    const at = `src/${file.path} imports ${specifier}`
    if (isContract && !typeOnly) {
      findings.push(`${at} at run time: the contract holds types only, write "import type" or "export type"`)
    }
    if (specifier.startsWith('.') && posix.join(file.path, '..', specifier).startsWith('..')) {
      findings.push(`${at}, which is outside of src: import the package by its name`)
    }
    const name = packageNameOf(specifier)
    if (name === undefined || !name.startsWith('@mqb/') || name === each.name) continue
    const allowed = lower[each.name]
    if (allowed !== undefined && !allowed.includes(name)) {
      findings.push(`${at}: ${each.name} may import ${allowed.join(' and ') || 'no other package of ours'}`)
    }
    if (plugins.has(each.name) && plugins.has(name)) {
      findings.push(`${at}: plugins never import one another, move what they share down into a library`)
    }
    if (plugins.has(each.name) && specifier === '@mqb/core/runtime') {
      findings.push(
        `${at}: the runtime is for programs that run routes; plugins need @mqb/core and @mqb/core/config`,
      )
    }
    if (isPluginDirectory(each.directory) && name === '@mqb/testkit') {
      findings.push(`${at}: the test kit is for tests`)
    }
  }
  return findings
}

/** Compared both ways: nothing missing, nothing extra. */
function dependencyFindings({ name, manifest }: WorkspacePackage, files: readonly SourceFile[]): string[] {
  const declared = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ])
  const used = new Set(
    files.flatMap(file => importsOf(file.text).map(each => packageNameOf(each.specifier) ?? name)),
  )
  used.delete(name)
  return [
    ...[...used]
      .filter(each => !declared.has(each))
      .map(each => `package.json does not list ${each}, which src imports`),
    ...[...declared]
      .filter(each => !used.has(each))
      .map(each => `package.json lists ${each}, which nothing in src imports`),
  ]
}
