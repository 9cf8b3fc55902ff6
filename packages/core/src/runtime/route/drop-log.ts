import type { Logger } from '../../contract/logger.ts'
import type { Clock } from '../../contract/opening.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import type { Message } from '../../message/message.ts'

const perSecond = 10
const code = 'MQB_MESSAGE_DROPPED'

/** Logs messages that failed for good: ten a second in full, the others of that second in one line with their count. */
export class DropLog {
  private readonly route: string
  private readonly log: Logger
  private readonly clock: Clock
  private logged = 0
  private unlogged = 0
  private lastUnlogged: MqbError | undefined
  private cancelWindow: (() => void) | undefined

  constructor(route: string, log: Logger, clock: Clock) {
    this.route = route
    this.log = log
    this.clock = clock
  }

  drop(message: Message, error: MqbError): void {
    this.cancelWindow ??= this.clock.timer(1000, () => this.flush())
    if (this.logged < perSecond) {
      this.logged += 1
      this.log.error(`a message was dropped: ${error.message}`, {
        code,
        route: this.route,
        id: message.id,
        reason: error.code,
      })
      return
    }
    this.unlogged += 1
    this.lastUnlogged = error
  }

  /** Ends the second early, or on time. */
  flush(): void {
    this.cancelWindow?.()
    this.cancelWindow = undefined
    if (this.unlogged > 0)
      this.log.error(
        `${this.unlogged} more messages were dropped within a second, the last one: ${this.lastUnlogged?.message}`,
        { code, route: this.route, count: this.unlogged, reason: this.lastUnlogged?.code },
      )
    this.logged = 0
    this.unlogged = 0
  }
}
