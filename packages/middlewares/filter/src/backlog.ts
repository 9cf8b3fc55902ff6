import type { BackgroundCommits, Batch, Outcomes } from '@mqb/core'

/** Commits wait for those of earlier batches, and messages stay in memory until then. */
const maxBytes = 16 * 1024 * 1024
const maxBatches = 256

/** The commits of batches of which nothing was kept. Bounded, for where a slow output holds up the commits before them. */
export class Backlog {
  private readonly commits: BackgroundCommits
  private bytes = 0
  private batches = 0

  constructor(commits: BackgroundCommits) {
    this.commits = commits
  }

  commit(batch: Batch, outcomes: Outcomes, bytes: number): void {
    this.bytes += bytes
    this.batches += 1
    const commit = async (): Promise<void> => {
      try {
        await batch.commit(outcomes)
      } finally {
        this.bytes -= bytes
        this.batches -= 1
      }
    }
    this.commits.start({ messages: batch.messages, commit }, outcomes)
  }

  throwIfFailed(): void {
    this.commits.throwIfFailed()
  }

  /**
   * Resolves when there is room for another batch.
   *
   * @throws the reason of the signal when it aborts before; the first commit that failed.
   */
  async room(signal: AbortSignal): Promise<void> {
    if (this.bytes < maxBytes && this.batches < maxBatches) return
    let stop = (): void => {}
    const stopped = new Promise<void>(resolve => {
      stop = resolve
    })
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (!signal.aborted) await Promise.race([this.commits.idle(), stopped])
    } finally {
      signal.removeEventListener('abort', stop)
    }
    signal.throwIfAborted()
    this.commits.throwIfFailed()
  }
}
