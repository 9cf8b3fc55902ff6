import { secretName } from '../document/placeholders.ts'
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

/** The values that variables bring into a URI and that are secrets: by the name of the variable, or out of a file. */
export function secretsInUri(uri: string, env: Environment): string[] {
  const values: string[] = []
  for (const [, braced, , bare] of uri.matchAll(variable)) {
    const wanted = (braced ?? bare)!
    const own = env[wanted]
    if (own !== undefined && !secretName.test(wanted)) continue
    const read = own === undefined ? readVariableFile(wanted, env) : { value: own }
    if (read !== undefined && 'value' in read && read.value) values.push(read.value)
  }
  return values
}

function valueFromFile(wanted: string, uri: string, env: Environment): string | undefined {
  const read = readVariableFile(wanted, env)
  if (read === undefined || 'value' in read) return read?.value
  throw uriError(uri, read.what, read.mend, 'MQB_URI_UNSET_VARIABLE')
}
