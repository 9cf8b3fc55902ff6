import type { Batch } from '../contract/consumer.ts'
import type { Outcomes } from '../contract/outcome.ts'

/**
 * Commits that nobody waits for: those of batches of which a middleware kept nothing. It goes on receiving; a commit
 * that failed surfaces from its next receive.
 */
export interface BackgroundCommits {
  start(batch: Batch, outcomes: Outcomes): void
  /** Throws the first failure since the last call. Call it at the beginning of `receive`. */
  throwIfFailed(): void
  /** Resolves when none is running. Never rejects. */
  idle(): Promise<void>
}

/** @see BackgroundCommits */
export function createBackgroundCommits(): BackgroundCommits {
  const running = new Set<Promise<void>>()
  let failed: { reason: unknown } | undefined
  return {
    start(batch, outcomes) {
      const commit = batch.commit(outcomes).then(
        () => {
          running.delete(commit)
        },
        (reason: unknown) => {
          running.delete(commit)
          failed ??= { reason }
        },
      )
      running.add(commit)
    },
    throwIfFailed() {
      if (failed === undefined) return
      const { reason } = failed
      failed = undefined
      throw reason
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
