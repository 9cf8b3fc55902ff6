import type { Message, Opening } from '@mqb/core'
import { compileCondition } from '@mqb/core/expression'
import type { SwitchConfig } from './config.ts'

/**
 * The position of the branch that a message takes, -1 when nothing takes it.
 *
 * @throws {MqbError} kind `permanent`: an expression cannot judge the message.
 */
export type Choose = (message: Message) => number

/** Decides by the order of `branchesOf`. */
export function compileChoice(config: SwitchConfig, opening: Opening): Choose {
  const { metadata_key: key, cases, when } = config
  const count = Object.keys(cases ?? {}).length + (when?.length ?? 0)
  const fallback = config.default === undefined ? -1 : count
  if (key !== undefined) {
    const positions = new Map(Object.keys(cases ?? {}).map((value, position) => [value, position]))
    return message => {
      const value = message.getMetadata(key)
      return value === undefined ? fallback : (positions.get(value) ?? fallback)
    }
  }
  const conditions = (when ?? []).map((branch, index) =>
    compileCondition(branch.if, { path: `${opening.path}.when[${index}].if`, log: opening.log }),
  )
  return message => {
    for (let position = 0; position < conditions.length; position++)
      if (conditions[position]!.test(message)) return position
    return fallback
  }
}
