/** How one run of a route differs from what its configuration says. */
export interface RunOptions {
  /** End when the source has nothing more, nothing is in flight and nothing was nacked. Default: `exit_on_empty`. */
  readonly drain?: boolean
  /** Drain, but wait up to this many milliseconds for the first message. */
  readonly waitMs?: number
  /** End after this many messages were delivered. What is received beyond that goes back to the source uncommitted. */
  readonly limit?: number
  /** A drain that has delivered nothing fails at its first error instead of trying for 30 s. */
  readonly failFast?: boolean
}

/** Bytes of one batch after which a source stops filling it. */
export const batchBytes = 64 * 1024 * 1024
/** Payload bytes between `receive` and `commit` above which nothing more is received. */
export const inFlightBytes = 256 * 1024 * 1024
