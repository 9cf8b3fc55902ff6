/** Lets a bounded number of calls run at once; the others wait in the order in which they came. */
export class Slots {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.free = count
  }

  /** Resolves when there is room; `undefined` when there is some at once. */
  take(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1
      return undefined
    }
    return new Promise(resolve => {
      this.waiting.push(resolve)
    })
  }

  /** The place goes straight to the next who waits, so that nobody can slip in between. */
  release(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.free += 1
    else next()
  }
}
