/**
 * Counts towards "end after N delivered". Places are reserved before a send, so that no more than N can be delivered
 * however many sends run side by side; what was not delivered gives its places back.
 */
export class DeliveryLimit {
  private readonly limit: number
  private readonly onReached: () => void
  private delivered = 0
  private reserved = 0
  private waiting: (() => void)[] = []

  constructor(limit: number, onReached: () => void) {
    this.limit = limit
    this.onReached = onReached
  }

  /** Resolves to how many of `wanted` messages may be sent now, at least one; 0 when the limit is reached. */
  async reserve(wanted: number): Promise<number> {
    while (this.delivered < this.limit) {
      const free = this.limit - this.delivered - this.reserved
      if (free > 0) {
        const places = Math.min(free, wanted)
        this.reserved += places
        return places
      }
      await new Promise<void>(resolve => {
        this.waiting.push(resolve)
      })
    }
    return 0
  }

  settle(places: number, delivered: number): void {
    this.reserved -= places
    this.delivered += delivered
    const waiting = this.waiting
    this.waiting = []
    for (const resolve of waiting) resolve()
    if (delivered > 0 && this.delivered >= this.limit) this.onReached()
  }
}
