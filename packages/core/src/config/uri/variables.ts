import { readFileSync } from 'node:fs'
import { describeThrown } from '../../errors/normalize.ts'
import type { Environment } from '../plan/context.ts'
import { uriError } from './usage.ts'

const name = '[A-Za-z_][A-Za-z0-9_]*'
const variable = new RegExp(`\\$\\{(${name})(?::-([^}]*))?\\}|\\$(${name})`, 'g')

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `$NAME` in a URI, once. Tokens with a colon (`${env:X}`, `${payload:a}`)
 * are left to their field. A literal `$` in front of a letter is `%24`.
 *
 * @throws {MqbError} `MQB_URI_UNSET_VARIABLE`
 */
export function expandUriVariables(uri: string, env: Environment): string {
  return uri.replace(variable, (_, braced?: string, fallback?: string, bare?: string) => {
    const wanted = (braced ?? bare)!
    const value = env[wanted] ?? valueFromFile(wanted, uri, env)
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    throw uriError(
      uri,
      `the environment variable ${wanted} is not set`,
      `set ${wanted}, or write %24 for a dollar sign that is meant as such`,
      'MQB_URI_UNSET_VARIABLE',
    )
  })
}

function valueFromFile(wanted: string, uri: string, env: Environment): string | undefined {
  const path = env[`${wanted}_FILE`]
  if (path === undefined || path === '') return undefined
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw uriError(
      uri,
      `the file that ${wanted}_FILE names cannot be read: ${describeThrown(error)}`,
      `correct ${wanted}_FILE, or set ${wanted}`,
      'MQB_URI_UNSET_VARIABLE',
    )
  }
}
