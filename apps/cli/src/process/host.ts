import type { Secrets } from '@mqb/core'
import type { Signals } from './signals.ts'
import type { Terminal } from './terminal.ts'

/** What every command gets from the process around it. */
export interface Host {
  readonly terminal: Terminal
  readonly signals: Signals
  readonly secrets: Secrets
  readonly environment: NodeJS.ProcessEnv
  readonly workingFolder: string
}

/** Aborted now, or later: calls `listener` once. */
export function whenAborted(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

/** The logger's words for a signal: `SIGTERM`. */
export const nameOf = (signal: AbortSignal): string => String(signal.reason)
