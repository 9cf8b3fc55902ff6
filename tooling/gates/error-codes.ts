import { join } from 'node:path'
import type { ErrorCodeTable } from '@mqb/core'
import { errorCodeFiles, errorCodesOf } from '../workspace/error-codes.ts'
import { publicPackages } from '../workspace/packages.ts'
import { type SourceFile, sourceFiles } from './sources.ts'

/** A code where an error is made: `code: 'MQB_…'`, or handed to a helper as a quoted text. Not the name of a variable. */
const quoted = /(?<!env\[)'(MQB_[A-Z0-9]+(?:_[A-Z0-9]+)*)'/g

/** Codes in sources and in tables, compared both ways. */
export async function errorCodeFindings(): Promise<string[]> {
  const packages = publicPackages()
  const tables = new Map<string, ErrorCodeTable>()
  for (const each of packages) tables.set(each.name, (await errorCodesOf(each)) ?? {})
  return packages
    .filter(each => each.name !== testKit)
    .flatMap(({ name, folder, directory, manifest }) => {
      const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      const shared = Object.assign({}, ...needed.map(each => tables.get(each))) as ErrorCodeTable
      const files = sourceFiles(join(folder, 'src'))
      return compareCodes(files, tables.get(name) ?? {}, shared).map(finding => `${directory}: ${finding}`)
    })
}

/** It fails on purpose: its codes are seen by tests alone. */
const testKit = '@mqb/testkit'

/** @param shared codes of the packages that it depends on */
export function compareCodes(
  files: readonly SourceFile[],
  own: ErrorCodeTable,
  shared: ErrorCodeTable,
): string[] {
  const used = new Map<string, string>()
  for (const file of files) {
    for (const match of file.text.matchAll(quoted)) used.set(match[1] ?? '', file.path)
  }
  return [
    ...[...used]
      .filter(([code]) => own[code] === undefined && shared[code] === undefined && !environment.has(code))
      .map(
        ([code, path]) =>
          `${code} in src/${path} is in no table: add it to errorCodes in ${errorCodeFiles[0]}`,
      ),
    ...Object.keys(own)
      .filter(code => !used.has(code))
      .map(code => `errorCodes has ${code}, which nothing in src uses`),
  ]
}

/** Variables of the environment, which look like codes. */
const environment: ReadonlySet<string> = new Set([
  'MQB_CONFIG',
  'MQB_LOG',
  'MQB_PLUGIN_DIR',
  'MQB_PLUGIN_DISCOVERY',
  'MQB_PLUGIN_OVERRIDE',
  'MQB_SOURCE_METADATA',
])
