import { readFileSync } from 'node:fs'
import { describeThrown } from '../errors/normalize.ts'
import type { Environment } from './plan/context.ts'

/** The value, or why there is none. */
export type VariableFile = { readonly value: string } | { readonly what: string; readonly mend: string }

/**
 * The value of a variable that is kept in a file, as container platforms hand secrets over: `NAME_FILE` is its path. A
 * line end at its end is no part of the value.
 *
 * @returns `undefined` when no file is named.
 */
export function readVariableFile(name: string, env: Environment): VariableFile | undefined {
  const path = env[`${name}_FILE`]
  if (path === undefined || path === '') return undefined
  try {
    return { value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    return {
      what: `the file that ${name}_FILE names cannot be read: ${describeThrown(error)}`,
      mend: `correct ${name}_FILE, or set ${name}`,
    }
  }
}
