import type { Readable } from 'node:stream'
import type { FileSystem } from './file-system.ts'

/** Where a reader gets its bytes. */
export interface ByteSource {
  /** An answer comes soon, so that a batch may wait for it. A pipe is not prompt: what was read goes on first. */
  readonly isPrompt: boolean
  /**
   * Copies at most `length` bytes that stand at `position` into a buffer. Calls never overlap.
   *
   * @returns how many; 0 when nothing more is there now. Synchronous when bytes are at hand.
   */
  read(into: Buffer, offset: number, length: number, position: number): number | Promise<number>
}

/** Reads an open file. */
export function fileSource(fileSystem: FileSystem, descriptor: number): ByteSource {
  return {
    isPrompt: true,
    read: (into, offset, length, position) => fileSystem.read(descriptor, into, offset, length, position),
  }
}

/**
 * Reads a stream such as the standard input, in paused mode: bytes leave it only when they are asked for, so a slow
 * route holds the writer back.
 */
export class StreamSource implements ByteSource {
  readonly isPrompt = false
  readonly #stream: Readable
  #rest: Buffer | undefined
  #ended = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(stream: Readable) {
    this.#stream = stream
    this.#ended = stream.readableEnded || stream.destroyed
    stream.on('readable', this.#onChange)
    stream.on('end', this.#onEnd)
    stream.on('close', this.#onEnd)
    stream.on('error', this.#onError)
  }

  /** Nothing comes any more. */
  get hasEnded(): boolean {
    return this.#ended && this.#rest === undefined
  }

  read(into: Buffer, offset: number, length: number): number | Promise<number> {
    const count = this.#take(into, offset, length)
    if (count > 0) return count
    if (this.#failure !== undefined) throw this.#failure
    if (this.hasEnded) return 0
    return this.#wait().then(() => this.read(into, offset, length))
  }

  /** Lets go of the stream without ending it: whoever owns it may read on. */
  close(): void {
    this.#ended = true
    this.#stream.off('readable', this.#onChange)
    this.#stream.off('end', this.#onEnd)
    this.#stream.off('close', this.#onEnd)
    this.#stream.off('error', this.#onError)
    this.#stream.pause()
    this.#onChange()
    // A socket that waits for input would keep the process alive.
    const handle = this.#stream as { unref?: () => void }
    handle.unref?.()
  }

  #take(into: Buffer, offset: number, length: number): number {
    const chunk = this.#rest ?? (this.#ended ? null : (this.#stream.read() as Buffer | string | null))
    if (chunk === null) return 0
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    const count = bytes.copy(into, offset, 0, length)
    this.#rest = count < bytes.length ? bytes.subarray(count) : undefined
    return count
  }

  #wait(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #onChange = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #onEnd = (): void => {
    this.#ended = true
    this.#onChange()
  }

  #onError = (error: Error): void => {
    this.#failure = error
    this.#onChange()
  }
}
