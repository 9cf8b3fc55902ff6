/** One figure of one run. */
export interface Measurement {
  /** In the unit of the case. */
  readonly value: number
  /** Peak resident memory, in MiB. */
  readonly rssMb?: number
  /** What is worth a line beside the figure, such as the start-up time. */
  readonly note?: string
}

/** What a run gets. */
export interface RunContext {
  /** A folder that is removed at the end of the command. Its data is reused by all runs of it. */
  readonly folder: string
  /** A number of messages, shrunk by `--scale`; at least 1. */
  count(full: number): number
}

/** Two programs that do the same work, or one that has no counterpart. */
export interface BenchCase {
  /** `jsonl-4096`: says the setting too, since a bench may have several. */
  readonly name: string
  /** `rows/s`, `MB/s`, `ns/message`. */
  readonly unit: string
  /** Figures such as times: the smaller one wins. The ratio is turned around, so that more is always better. */
  readonly lowerIsBetter?: boolean
  /** The ratio that this case must reach, shown beside it. */
  readonly atLeast?: number
  /** The peak memory in MiB that ours must stay under, shown beside it. */
  readonly rssAtMost?: number
  /** How often each side runs, in turns; the median counts. Default 3. */
  readonly runs?: number
  ours(context: RunContext): Promise<Measurement>
  reference?(context: RunContext): Promise<Measurement>
}

/** A file of `tooling/bench/benches`, found by its name: `benches/jsonl.ts` is `pnpm bench jsonl`. */
export interface Bench {
  /** One line for the list. */
  readonly summary: string
  readonly cases: readonly BenchCase[]
  /** Writes what all cases read, before any of them is timed. */
  prepare?(context: RunContext): void | Promise<void>
}

export function defineBench(bench: Bench): Bench {
  return bench
}
