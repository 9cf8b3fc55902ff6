/** Follows one signal at a time with one listener, so that calls that share a signal do not each add one to it. */
export class SignalWatch {
  private readonly onAbort: (signal: AbortSignal) => void
  private signal: AbortSignal | undefined
  private readonly listener = (): void => {
    const signal = this.signal
    this.signal = undefined
    if (signal !== undefined) this.onAbort(signal)
  }

  constructor(onAbort: (signal: AbortSignal) => void) {
    this.onAbort = onAbort
  }

  follow(signal: AbortSignal): void {
    if (signal === this.signal) return
    this.stop()
    this.signal = signal
    signal.addEventListener('abort', this.listener, { once: true })
  }

  stop(): void {
    this.signal?.removeEventListener('abort', this.listener)
    this.signal = undefined
  }
}
