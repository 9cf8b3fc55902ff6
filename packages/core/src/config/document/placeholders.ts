import type { Environment } from '../plan/context.ts'
import type { Findings } from '../problems.ts'
import type { Cursor } from '../tree/cursor.ts'
import { readVariableFile } from '../variable-file.ts'

const name = '[A-Za-z_][A-Za-z0-9_]*'
// One pass over the text: what was put in is never looked at again.
const placeholder = new RegExp(`\\$\\$\\{(?=${name}(?::-[^}]*)?\\})|\\$\\{(${name})(?::-([^}]*))?\\}`, 'g')
const wholeValue = new RegExp(`^\\$(${name})$`)
/** Variables of such a name hold secrets. */
export const secretName = /pass|secret|token|credential|(^|_)key$|private/i

export interface Variables {
  readonly env: Environment
  /** From the configuration; the environment wins. */
  readonly envVars: Environment
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and a text that is nothing but `$NAME` in every text of a tree. `$${NAME}`
 * stands for a literal `${NAME}`; tokens with a colon in them (`${env:X}`, `${payload:a}`) are left to their field.
 *
 * @returns the values that are secrets by the name of their variable, or because they came out of a file.
 */
export function expandPlaceholders(cursor: Cursor, variables: Variables, findings: Findings): string[] {
  const secrets: string[] = []
  expandAt(cursor, variables, findings, secrets)
  return secrets
}

function expandAt(cursor: Cursor, variables: Variables, findings: Findings, secrets: string[]): void {
  const { value, origin } = cursor
  if (typeof value !== 'string') {
    for (const child of cursor.children()) expandAt(child, variables, findings, secrets)
    return
  }
  if (origin.fromEnvironment === true || !value.includes('$')) return
  const expansion = new Expansion(cursor, variables, findings, secrets)
  const expanded = expansion.expand(value)
  if (expanded === undefined) cursor.origin = { ...origin, reported: true }
  else if (expanded !== value) {
    cursor.value = expanded
    cursor.origin = { ...origin, text: expanded, fromEnvironment: expansion.used }
  }
}

class Expansion {
  readonly #cursor: Cursor
  readonly #variables: Variables
  readonly #findings: Findings
  readonly #secrets: string[]
  #failed = false
  used = false

  constructor(cursor: Cursor, variables: Variables, findings: Findings, secrets: string[]) {
    this.#cursor = cursor
    this.#variables = variables
    this.#findings = findings
    this.#secrets = secrets
  }

  expand(text: string): string | undefined {
    const whole = wholeValue.exec(text)
    if (whole !== null) return this.#valueOf(whole[1]!, undefined)
    const expanded = text.replace(placeholder, (matched, variable?: string, fallback?: string) => {
      if (variable === undefined) return matched.slice(1)
      return this.#valueOf(variable, fallback) ?? ''
    })
    return this.#failed ? undefined : expanded
  }

  #valueOf(variable: string, fallback: string | undefined): string | undefined {
    this.used = true
    const { env, envVars } = this.#variables
    const value = env[variable] ?? this.#fromFile(variable) ?? envVars[variable]
    if (this.#failed) return undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      if (secretName.test(variable) && value !== '') this.#secrets.push(value)
      return value
    }
    if (fallback !== undefined) return fallback
    this.#fail(
      'MQB_CONFIG_UNSET_VARIABLE',
      `the environment variable ${variable} is not set`,
      `set ${variable} (or ${variable}_FILE to the path of a file that holds the value), or give a default: \${${variable}:-…}; for the text itself write ${literalOf(this.#cursor.value as string, variable)}`,
    )
    return undefined
  }

  #fromFile(variable: string): string | undefined {
    const read = readVariableFile(variable, this.#variables.env)
    if (read === undefined) return undefined
    if ('value' in read) {
      this.#secrets.push(read.value)
      return read.value
    }
    this.#fail('MQB_CONFIG_UNSET_VARIABLE', read.what, read.mend)
    return undefined
  }

  #fail(code: string, what: string, mend: string): void {
    this.#failed = true
    this.#findings.error(this.#cursor, { code, what, mend })
  }
}

function literalOf(text: string, variable: string): string {
  return wholeValue.test(text) ? `\${TEXT:-$${variable}}` : `$\${${variable}}`
}
