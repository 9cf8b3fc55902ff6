import assert from 'node:assert/strict'
import { becomesTrue } from '../runner/within.ts'

/** What keeps the process alive, by kind. */
function active(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/**
 * Runs `work` once to let libraries warm up, then again, and asserts that the second run left nothing open. What closes
 * a moment later is waited for.
 */
export async function assertLeavesNothing(work: () => Promise<void>, graceMs: number): Promise<void> {
  await work()
  const before = active()
  await work()
  let left: string[] = []
  const clean = await becomesTrue(
    () => {
      left = [...active()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind)
      return left.length === 0
    },
    graceMs,
    10,
  )
  assert.ok(clean, `still open after close: ${left.join(', ')}`)
}
