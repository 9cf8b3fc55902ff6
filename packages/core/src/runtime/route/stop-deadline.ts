import type { Clock } from '../../contract/opening.ts'

/** A moment at which waiting ends; it can be moved closer, never away. */
export class StopDeadline {
  readonly passed: Promise<void>
  private readonly clock: Clock
  private atMs = Number.POSITIVE_INFINITY
  private cancelTimer: (() => void) | undefined
  private resolve: () => void = () => {}

  constructor(clock: Clock) {
    this.clock = clock
    this.passed = new Promise(resolve => {
      this.resolve = resolve
    })
  }

  /** From now on at most so long. */
  within(ms: number): void {
    const atMs = this.clock.monotonic() + ms
    if (atMs >= this.atMs) return
    this.atMs = atMs
    this.cancelTimer?.()
    if (ms <= 0) this.resolve()
    else this.cancelTimer = this.clock.timer(ms, this.resolve)
  }

  cancel(): void {
    this.cancelTimer?.()
  }
}
