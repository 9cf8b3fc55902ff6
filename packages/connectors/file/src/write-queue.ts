import { type MqbError, notSentError } from '@mqb/core'
import type { WriteJob } from './record-sink.ts'

// As much as goes into one write: enough for the disk, little enough to answer soon.
const groupBytes = 4_194_304
// Below this a write waits for the end of the turn of the event loop, so that what other sends of the same turn bring goes
// along: a call to the system costs as much as copying some hundred kilobytes.
const promptBytes = 131_072

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
  #waitingBytes = 0
  #wake: (() => void) | undefined
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
      this.#waitingBytes += job.byteLength
      if (this.#running === undefined) this.#running = this.#run()
      else if (this.#waitingBytes >= promptBytes) this.#wake?.()
    })
  }

  async whenIdle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waitingBytes < promptBytes) await this.#turnEnd()
      const group = this.#takeGroup()
      if (group.length === 0) continue
      const failures = await this.#write(group.map(({ job }) => job))
      const failed = failures.find(failure => failure !== undefined)
      // What is queued behind a failed write would overtake it.
      const behind = failed === undefined ? [] : this.#waiting.splice(0)
      if (failed !== undefined) this.#waitingBytes = 0
      for (const [index, { resolve }] of group.entries()) resolve(failures[index])
      for (const { resolve } of behind) resolve(notSentError(failed))
    }
    this.#running = undefined
  }

  /** The end of this turn of the event loop, or as soon as enough is there. */
  #turnEnd(): Promise<void> {
    return new Promise(resolve => {
      const immediate = setImmediate(resolve)
      this.#wake = () => {
        this.#wake = undefined
        clearImmediate(immediate)
        resolve()
      }
    })
  }

  /** The next jobs; those whose caller has given up are left out. */
  #takeGroup(): QueuedJob[] {
    const group: QueuedJob[] = []
    let bytes = 0
    while (this.#waiting.length > 0 && bytes < groupBytes) {
      const next = this.#waiting.shift() as QueuedJob
      this.#waitingBytes -= next.job.byteLength
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
