import { type Message, MqbError, type Opening } from '@mqb/core'
import { type Condition, compileCondition } from '@mqb/core/expression'
import type { FilterFields } from './config.ts'

/** Decides which messages of a batch are kept. */
export class Selector {
  private readonly condition: Condition
  private readonly opening: Opening
  private readonly drops: boolean
  private warned = false

  constructor(config: FilterFields, opening: Opening) {
    this.condition = compileCondition(config.expression, opening)
    this.drops = config.on_error === 'drop'
    this.opening = opening
  }

  /**
   * The positions of the messages that are kept, ascending.
   *
   * @throws {MqbError} kind `permanent`: a message that cannot be judged, unless such messages are left out.
   */
  select(messages: readonly Message[]): readonly number[] {
    const { condition } = this
    const kept: number[] = []
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index] as Message
      if (this.drops ? this.testOrDrop(message) : condition.test(message)) kept.push(index)
    }
    if (kept.length < messages.length) this.opening.counters.add('filtered', messages.length - kept.length)
    return kept
  }

  private testOrDrop(message: Message): boolean {
    try {
      return this.condition.test(message)
    } catch (error) {
      if (!MqbError.is(error)) throw error
      const { counters, log } = this.opening
      counters.add('unreadable')
      const fields = { code: 'MQB_FILTER_UNREADABLE', message_id: message.id }
      if (this.warned) log.debug(`left out a message: ${error.what}`, fields)
      else
        log.warn(`left out a message, the next ones are only counted: ${error.what}`, {
          ...fields,
          mend: error.mend,
        })
      this.warned = true
      return false
    }
  }
}
