import type { ColorChoice } from '../process/terminal.ts'

/** Valid with every command. */
export interface GlobalOptions {
  /** Files or package names, in order. */
  readonly plugins: readonly string[]
  readonly color: ColorChoice
}

/** Where a configuration comes from. What is left out comes from the environment, or has a default. */
export interface ConfigOptions {
  readonly config?: string
  readonly initConfig?: string
  readonly initConfigText?: string
  readonly configText?: string
}

export interface CopyOptions {
  readonly source: string
  readonly target: string
  readonly drain: boolean
  /** Wait this long for the first row, then drain. */
  readonly waitMs?: number
  readonly limit?: number
  readonly verbose: boolean
  /** Keep the rows for which it is true. */
  readonly filter?: string
  readonly concurrency?: number
  readonly batchSize?: number
}

/** One expression, or those that come line by line on stdin. */
export type EvalOptions =
  | { readonly stdin: true }
  | {
      readonly stdin: false
      readonly expression: string
      /** JSON text; an empty object where it is left out. */
      readonly input?: string
      /** Flat `[key, value, …]`. */
      readonly metadata: readonly string[]
    }

/** The command line, read and checked. */
export type Invocation =
  | ({
      readonly command: 'run'
      readonly metricsAddress?: string
      readonly metrics: boolean
    } & ConfigOptions &
      GlobalOptions)
  | ({ readonly command: 'copy' } & CopyOptions & GlobalOptions)
  | ({ readonly command: 'eval' } & EvalOptions & GlobalOptions)
  | ({ readonly command: 'validate' } & ConfigOptions & GlobalOptions)
  | ({ readonly command: 'schema'; readonly path: string } & ConfigOptions & GlobalOptions)
  /** `--help` and `--version`: to be printed as it is. */
  | { readonly command: 'print'; readonly text: string }
  | { readonly command: 'misused'; readonly problem: UsageProblem }

export interface UsageProblem {
  readonly what: string
  readonly mend: string
}

/** Thrown by what reads arguments. */
export class UsageError extends Error {
  readonly mend: string

  constructor(what: string, mend: string) {
    super(what)
    this.mend = mend
  }
}
