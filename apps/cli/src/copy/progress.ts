import type { Clock } from '@mqb/core'
import type { Terminal } from '../process/terminal.ts'
import { formatRate, groupDigits } from './summary.ts'

const showAfterMs = 2_000
const redrawEveryMs = 200

/**
 * One rewritten line with the row count, only on a terminal and only once a copy takes longer than two seconds.
 *
 * @param count rows delivered so far; called at each redraw.
 * @returns takes the line away.
 */
export function showProgress(terminal: Terminal, clock: Clock, count: () => number): () => void {
  if (!terminal.stderrIsTerminal) return () => {}
  const started = clock.monotonic()
  let cancel: () => void
  const redraw = (): void => {
    const elapsed = clock.monotonic() - started
    const rows = count()
    terminal.statusLine(
      `${groupDigits(rows)} rows in ${Math.floor(elapsed / 1_000)}s (${formatRate(rows, elapsed)})`,
    )
    cancel = clock.timer(redrawEveryMs, redraw)
  }
  cancel = clock.timer(showAfterMs, redraw)
  return () => {
    cancel()
    terminal.statusLine(undefined)
  }
}
