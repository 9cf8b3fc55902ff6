import type { RouteResult } from '@mqb/core/runtime'
import { exitCode } from '../process/exit-code.ts'
import { copyCounts } from './counts.ts'
import { failureLine, groupDigits, lossLine, summaryLine } from './summary.ts'

/** What a copy says at its end, and what it ends with. */
export interface Conclusion {
  /** For whoever reads the result of the command. */
  readonly summary?: string
  /** For stderr. */
  readonly problem?: string
  readonly code: number
}

/** @param readerGone the reader of stdout went away, which ends a copy to it in order. */
export function conclude(result: RouteResult, readerGone: boolean): Conclusion {
  const counts = copyCounts(result.counts)
  const cause = result.error?.message
  if (readerGone)
    return { summary: summaryLine({ ...counts, lost: 0 }, result.elapsedMs, true), code: exitCode.done }
  if (result.outcome === 'failed')
    return { problem: failureLine(counts, cause ?? 'for a reason that nobody gave'), code: exitCode.failed }
  if (counts.lost > 0) return { problem: lossLine(counts, cause), code: exitCode.failed }
  const summary = summaryLine(counts, result.elapsedMs, result.outcome === 'stopped')
  return result.abandoned === 0
    ? { summary, code: exitCode.done }
    : {
        summary,
        problem: `${groupDigits(result.abandoned)} rows had no answer from the target when the time was over; the source has them still`,
        code: exitCode.failed,
      }
}
