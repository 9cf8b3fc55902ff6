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
  const core = packages.find(each => each.name === '@mqb/core')
  const shared = core === undefined ? {} : ((await errorCodesOf(core)) ?? {})
  const findings: string[] = []
  for (const each of packages) {
    // The test kit fails on purpose: its codes are seen by tests alone.
    if (each.name === '@mqb/testkit') continue
    const own = (await errorCodesOf(each)) ?? {}
    const files = sourceFiles(join(each.folder, 'src'))
    findings.push(...compareCodes(files, own, shared).map(finding => `${each.directory}: ${finding}`))
  }
  return findings
}

/** @param shared codes of core, which any package may use */
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
