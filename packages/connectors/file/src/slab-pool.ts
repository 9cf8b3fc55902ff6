// Free slabs that are kept: enough for what one route has under way.
const mostFree = 16

interface SlabState {
  users: number
  /** Messages were made of it, and nobody knows who keeps them. */
  isShared: boolean
}

/**
 * Memory for reading. A slab of which messages were made is never written again. One that went from the source to the
 * sink without, and of which everything is committed, is read into again: memory that is warm, and nothing to collect.
 */
export class SlabPool {
  readonly #largeBytes: number
  #bytes: number
  readonly #free: Buffer[] = []
  readonly #used = new Map<Buffer, SlabState>()
  readonly #freeNumbers: Int32Array[] = []

  /**
   * @param bytes of each slab at first: as much as one message may hold in memory.
   * @param largeBytes of each slab from the first that came back: then it costs no memory to read more at once.
   */
  constructor(bytes: number, largeBytes: number = bytes) {
    this.#bytes = bytes
    this.#largeBytes = largeBytes
  }

  /** Slabs that have users. */
  get inUse(): number {
    return this.#used.size
  }

  /** A slab with one user. */
  take(): Buffer {
    const slab = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes)
    this.#used.set(slab, { users: 1, isShared: false })
    return slab
  }

  /** Room for at least this many numbers; what stands in it means nothing. */
  takeNumbers(count: number): Int32Array {
    const free = this.#freeNumbers.pop()
    return free !== undefined && free.length >= count ? free : new Int32Array(count)
  }

  /** Nobody reads them any more. */
  giveNumbers(numbers: Int32Array): void {
    if (this.#freeNumbers.length < mostFree) this.#freeNumbers.push(numbers)
  }

  /** One more user. A buffer that is no slab of this pool is left alone, here and below. */
  retain(slab: Buffer): void {
    const state = this.#used.get(slab)
    if (state !== undefined) state.users++
  }

  /** Messages are made of it: it stays what it is for ever. */
  share(slab: Buffer): void {
    const state = this.#used.get(slab)
    if (state !== undefined) state.isShared = true
  }

  /** One user less; the last one gives it back. */
  release(slab: Buffer): void {
    const state = this.#used.get(slab)
    if (state === undefined || --state.users > 0) return
    this.#used.delete(slab)
    if (state.isShared) return
    this.#bytes = this.#largeBytes
    if (slab.length === this.#bytes && this.#free.length < mostFree) this.#free.push(slab)
  }
}
