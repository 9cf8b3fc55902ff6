import type { Message, MqbError, Opening } from '@mqb/core'

const perSecond = 10
const code = 'MQB_MESSAGE_DROPPED'

/** Logs messages that were dropped: ten a second in full, the others of that second in one line with their count. */
export class DropLog {
  private readonly opening: Pick<Opening, 'route' | 'log' | 'clock'>
  private logged = 0
  private unlogged = 0
  private last: MqbError | undefined
  private cancelWindow: (() => void) | undefined

  constructor(opening: Pick<Opening, 'route' | 'log' | 'clock'>) {
    this.opening = opening
  }

  drop(message: Message, error: MqbError): void {
    const { route, log, clock } = this.opening
    this.cancelWindow ??= clock.timer(1000, () => this.flush())
    if (this.logged >= perSecond) {
      this.unlogged += 1
      this.last = error
      return
    }
    this.logged += 1
    log.error(`a message was dropped: ${error.message}`, { code, route, id: message.id, reason: error.code })
  }

  /** Ends the second early, or on time. */
  flush(): void {
    const { route, log } = this.opening
    this.cancelWindow?.()
    this.cancelWindow = undefined
    if (this.unlogged > 0)
      log.error(
        `${this.unlogged} more messages were dropped within a second, the last one: ${this.last?.message}`,
        { code, route, count: this.unlogged, reason: this.last?.code },
      )
    this.logged = 0
    this.unlogged = 0
  }
}
