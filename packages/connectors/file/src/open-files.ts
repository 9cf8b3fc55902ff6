import type { Encoder } from './encoder.ts'
import { giveBackOutputFile, type OutputFile, type OutputFileOptions, takeOutputFile } from './output-file.ts'
import { fileKey } from './path-lock.ts'

const mostOpen = 64

/** A file with what turns messages into its records. */
export interface OpenFile {
  readonly file: OutputFile
  readonly encoder: Encoder
  readonly key: string
}

/** The files of one publisher: at most 64 open, the one that was used longest ago is closed for the next. */
export class OpenFiles {
  readonly #options: Omit<OutputFileOptions, 'path' | 'key'>
  readonly #createEncoder: (path: string) => Encoder
  // In the order of their last use.
  readonly #files = new Map<string, OpenFile>()
  readonly #writes = new Map<string, Promise<unknown>>()

  constructor(options: Omit<OutputFileOptions, 'path' | 'key'>, createEncoder: (path: string) => Encoder) {
    this.#options = options
    this.#createEncoder = createEncoder
  }

  async take(path: string): Promise<OpenFile> {
    const known = this.#files.get(path)
    if (known !== undefined) {
      this.#files.delete(path)
      this.#files.set(path, known)
      return known
    }
    if (this.#files.size >= mostOpen) await this.#closeOldest()
    return this.takeNow(path)
  }

  /** Without minding the limit. */
  takeNow(path: string): OpenFile {
    const key = fileKey(path)
    const opened: OpenFile = {
      file: takeOutputFile({ ...this.#options, path, key }),
      encoder: this.#createEncoder(path),
      key,
    }
    this.#files.set(path, opened)
    return opened
  }

  /** A file is not closed before this answer. */
  track(path: string, write: Promise<unknown>): void {
    this.#writes.set(path, write)
  }

  async sync(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), ({ file }) => file.sync()))
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()]
    this.#files.clear()
    await Promise.all(files.map(({ key }) => giveBackOutputFile(key)))
  }

  async #closeOldest(): Promise<void> {
    const [oldest] = this.#files
    if (oldest === undefined) return
    const [path, { key }] = oldest
    await this.#writes.get(path)
    this.#writes.delete(path)
    this.#files.delete(path)
    await giveBackOutputFile(key)
  }
}
