/** A drain that only fails ends after so long without an ack at the source. */
export const drainStallMs = 30_000

/**
 * Tells when a drain has become hopeless: the source has been acked nothing for a while, and something failed meanwhile.
 * What the output took does not count: on an ordered input it comes again until the message before it gets through.
 */
export class DrainStall {
  private sinceMs: number
  private settled = 0
  private failures = 0

  /** @param nowMs monotonic time, as for all calls. */
  constructor(nowMs: number) {
    this.sinceMs = nowMs
  }

  /**
   * @param settled all messages that the source is done with.
   * @param failures all failures so far.
   */
  isOver(settled: number, failures: number, nowMs: number): boolean {
    if (settled !== this.settled) {
      this.settled = settled
      this.failures = failures
      this.sinceMs = nowMs
    }
    return failures > this.failures && nowMs - this.sinceMs >= drainStallMs
  }
}
