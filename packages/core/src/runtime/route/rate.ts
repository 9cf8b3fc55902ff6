/** Time constant of the smoothing. */
const smoothingMs = 500

/** How often `sample` is meant to be called. */
export const sampleMs = 200

/** Messages per second, smoothed exponentially with a time constant of half a second. */
export class RateMeter {
  private rate = 0
  private count = 0
  private sampledMs: number
  private readonly startedMs: number
  private lastSeenMs: number

  /** @param nowMs monotonic time, as for all calls. */
  constructor(nowMs: number) {
    this.startedMs = nowMs
    this.sampledMs = nowMs
    this.lastSeenMs = nowMs
  }

  /** @param count all messages so far. */
  sample(count: number, nowMs: number): void {
    const elapsed = nowMs - this.sampledMs
    if (elapsed <= 0) return
    const moved = count - this.count
    const weight = 1 - Math.exp(-elapsed / smoothingMs)
    this.rate += weight * ((moved * 1000) / elapsed - this.rate)
    if (moved > 0) this.lastSeenMs = nowMs
    this.count = count
    this.sampledMs = nowMs
  }

  get perSecond(): number {
    return this.rate < 0.01 ? 0 : this.rate
  }

  /** Messages per second from the start to the last message seen. */
  get average(): number {
    const elapsed = this.lastSeenMs - this.startedMs
    return elapsed > 0 ? (this.count * 1000) / elapsed : 0
  }
}
