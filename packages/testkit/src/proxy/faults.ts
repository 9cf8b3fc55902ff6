/** Where bytes go: from the client to the target, or back. */
export type Direction = 'toTarget' | 'toClient'

export const directions: readonly Direction[] = ['toTarget', 'toClient']

/** The faults in force. Connections ask before each piece that they forward. */
export class Faults {
  readonly stalled: Record<Direction, boolean> = { toTarget: false, toClient: false }
  readonly delayMs: Record<Direction, number> = { toTarget: 0, toClient: 0 }
  readonly bytesPerSecond: Record<Direction, number> = { toTarget: Infinity, toClient: Infinity }
  readonly bytesLeft: Record<Direction, number> = { toTarget: Infinity, toClient: Infinity }
  private readonly waiting = new Set<() => void>()

  clear(): void {
    for (const direction of directions) {
      this.stalled[direction] = false
      this.delayMs[direction] = 0
      this.bytesPerSecond[direction] = Infinity
      this.bytesLeft[direction] = Infinity
    }
    this.changed()
  }

  changed(): void {
    for (const wake of [...this.waiting]) wake()
  }

  /** Resolves when the direction is not stalled, or when the signal aborts. */
  async passable(direction: Direction, signal: AbortSignal): Promise<void> {
    while (this.stalled[direction] && !signal.aborted)
      await new Promise<void>(resolve => {
        const wake = (): void => {
          this.waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      })
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
