import type { RouteCounts } from '@mqb/core/runtime'
import type { CopyCounts } from './summary.ts'

/** The numbers of a route as the summary has them. What went back to the source was not read. */
export function copyCounts(counts: RouteCounts): CopyCounts {
  return {
    read: counts.in - counts.returned - counts.inFlight,
    delivered: counts.delivered,
    deadLettered: counts.deadLettered,
    leftOut: counts.handled + counts.filtered + counts.duplicates + counts.joined,
    lost: counts.dropped,
  }
}
