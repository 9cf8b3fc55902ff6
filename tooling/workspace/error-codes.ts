import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ErrorCodeTable } from '@mqb/core'
import type { WorkspacePackage } from './packages.ts'

/** Where a package keeps its table, as the export `errorCodes`. */
export const errorCodeFiles: readonly string[] = ['src/errors.ts', 'src/errors/codes.ts']

/** The table of a package; `undefined` when it has none. */
export async function errorCodesOf(each: WorkspacePackage): Promise<ErrorCodeTable | undefined> {
  for (const file of errorCodeFiles) {
    const path = join(each.folder, file)
    if (!existsSync(path)) continue
    const module = (await import(pathToFileURL(path).href)) as { errorCodes?: ErrorCodeTable }
    if (module.errorCodes !== undefined) return module.errorCodes
  }
  return undefined
}
