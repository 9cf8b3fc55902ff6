import type { Supervisor } from './supervisor.ts'

/** What every shell of a route shares. */
export interface ShellSettings {
  readonly supervisor: Supervisor
  /** `commit_concurrency_limit`: most commits that run at a leaf at once. */
  readonly commitConcurrency: number
  /** `reconnect_interval_ms`: the upper bound of every pause. */
  readonly capMs: number
  /** From 0 to below 1; the jitter of the pauses. */
  readonly random: () => number
}
