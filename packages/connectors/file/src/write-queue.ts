import { type MqbError, notSentError } from '@mqb/core'
import type { WriteJob } from './record-sink.ts'

// As much as goes into one write: enough for the disk, little enough to answer soon.
const groupBytes = 4_194_304

interface QueuedJob {
  readonly job: WriteJob
  readonly resolve: (failure: MqbError | undefined) => void
}

/** Answers by position. Never rejects. */
export type WriteGroup = (jobs: readonly WriteJob[]) => Promise<(MqbError | undefined)[]>

/** Keeps one write under way. What comes meanwhile waits, in order, and leaves together. */
export class WriteQueue {
  readonly #write: WriteGroup
  #waiting: QueuedJob[] = []
  #running: Promise<void> | undefined

  constructor(write: WriteGroup) {
    this.#write = write
  }

  get isIdle(): boolean {
    return this.#running === undefined
  }

  add(job: WriteJob): Promise<MqbError | undefined> {
    return new Promise(resolve => {
      this.#waiting.push({ job, resolve })
      this.#running ??= this.#run()
    })
  }

  async whenIdle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup()
      if (group.length === 0) continue
      const failures = await this.#write(group.map(({ job }) => job))
      const failed = failures.find(failure => failure !== undefined)
      // What is queued behind a failed write would overtake it.
      const behind = failed === undefined ? [] : this.#waiting.splice(0)
      for (const [index, { resolve }] of group.entries()) resolve(failures[index])
      for (const { resolve } of behind) resolve(notSentError(failed))
    }
    this.#running = undefined
  }

  /** The next jobs; those whose caller has given up are left out. */
  #takeGroup(): QueuedJob[] {
    const group: QueuedJob[] = []
    let bytes = 0
    while (this.#waiting.length > 0 && bytes < groupBytes) {
      const next = this.#waiting.shift() as QueuedJob
      if (next.job.signal.aborted) {
        next.resolve(notSentError())
        continue
      }
      group.push(next)
      bytes += next.job.byteLength
    }
    return group
  }
}
