const firstMs = 100

export interface BackoffOptions {
  /** Upper bound of the pause before jitter. */
  readonly capMs: number
  /** From 0 to below 1. */
  readonly random: () => number
}

/** Pauses of up to 100 ms, 200 ms, 400 ms … up to a cap, each drawn evenly from zero to its bound ("full jitter"). */
export class Backoff {
  private readonly options: BackoffOptions
  private failures = 0

  constructor(options: BackoffOptions) {
    this.options = options
  }

  /** The next pause in milliseconds. */
  next(): number {
    const bound = Math.min(this.options.capMs, firstMs * 2 ** Math.min(this.failures, 30))
    this.failures += 1
    return this.options.random() * bound
  }

  /** Something got through: the next failure starts small again. */
  reset(): void {
    this.failures = 0
  }
}
