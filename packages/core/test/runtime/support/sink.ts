import { ALL_ACKED, closedError, type Message, type Outcomes, outcomeAt, type Publisher } from '@mqb/core'

export type Answer = (messages: readonly Message[], call: number) => Outcomes | Promise<Outcomes>

/** Something outside of mqb that messages go to: it survives its publishers. */
export class TestSink {
  readonly delivered: string[] = []
  readonly sends: string[][] = []
  readonly signals: AbortSignal[] = []
  readonly openFaults: (() => unknown)[] = []
  flushes = 0
  opened = 0
  closed = 0
  open = 0
  running = 0
  mostRunning = 0
  private readonly answer: Answer

  constructor(answer: Answer = () => ALL_ACKED) {
    this.answer = answer
  }

  publisher = (): Publisher => {
    this.openFaults.shift()?.()
    this.opened += 1
    this.open += 1
    let closed = false
    return {
      send: async (messages, signal) => {
        if (closed) throw closedError()
        const call = this.sends.length
        this.sends.push(messages.map(message => message.text()))
        this.signals.push(signal)
        this.running += 1
        this.mostRunning = Math.max(this.mostRunning, this.running)
        try {
          const outcomes = await this.answer(messages, call)
          for (const [index, message] of messages.entries()) {
            const outcome = outcomes === ALL_ACKED ? undefined : outcomes[index]
            if (
              outcome === undefined ? outcomes === ALL_ACKED : outcomeAt(outcomes, index).kind !== 'failure'
            )
              this.delivered.push(message.text())
          }
          return outcomes
        } finally {
          this.running -= 1
        }
      },
      flush: async () => {
        this.flushes += 1
      },
      status: () => ({ healthy: true, target: 'sink' }),
      close: async () => {
        if (closed) return
        closed = true
        this.closed += 1
        this.open -= 1
      },
    }
  }
}
