import type { ErrorKind } from './mqb-error.ts'

/** What a package says about one of its codes. The page of error codes is made from these entries. */
export interface ErrorCodeEntry {
  /** The kinds in which it occurs; `log` for a code that only marks a line of the log. */
  readonly kind: ErrorKind | 'log' | readonly (ErrorKind | 'log')[]
  /** What happened, in one sentence. */
  readonly meaning: string
  /** What a reader of the error can do about it. */
  readonly mend: string
}

/** All codes of a package: every code that its sources use is in it, and no other. */
export type ErrorCodeTable = Readonly<Record<string, ErrorCodeEntry>>
