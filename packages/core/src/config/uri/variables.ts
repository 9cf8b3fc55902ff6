import type { Environment } from '../plan/context.ts'
import { readVariableFile } from '../variable-file.ts'
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
  const read = readVariableFile(wanted, env)
  if (read === undefined || 'value' in read) return read?.value
  throw uriError(uri, read.what, read.mend, 'MQB_URI_UNSET_VARIABLE')
}
