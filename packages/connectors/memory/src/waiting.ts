import type { Clock } from '@mqb/core'

/** What a wait rejects with when nothing came for as long as a drain allows. */
export const idle: unique symbol = Symbol('idle')

/** Waits that their caller's signal ends, and all together a close. */
export class Waits {
  private readonly controllers = new Set<AbortController>()

  /**
   * Runs `wait` with a signal that follows `signal` and `interrupt`. What `wait` got is never thrown away.
   *
   * @param silence after so many milliseconds the wait rejects with `idle`.
   */
  async run<T>(
    signal: AbortSignal,
    wait: (inner: AbortSignal) => Promise<T> | T,
    silence?: { readonly clock: Clock; readonly ms: number },
  ): Promise<T> {
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal.reason)
    this.controllers.add(controller)
    signal.addEventListener('abort', abort, { once: true })
    const cancelTimer = silence?.clock.timer(silence.ms, () => controller.abort(idle))
    try {
      return await wait(controller.signal)
    } finally {
      cancelTimer?.()
      signal.removeEventListener('abort', abort)
      this.controllers.delete(controller)
    }
  }

  interrupt(reason: unknown): void {
    for (const controller of [...this.controllers]) controller.abort(reason)
  }
}
