import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ErrorKind } from '@mqb/core'
import type { WorkspacePackage } from './packages.ts'

/** What a package says about one of its error codes. */
export interface ErrorCodeEntry {
  readonly kind: ErrorKind | readonly ErrorKind[]
  /** What happened, in one sentence. */
  readonly meaning: string
  /** What a reader of the error can do. */
  readonly mend: string
}

export type ErrorCodeTable = Readonly<Record<string, ErrorCodeEntry>>

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
