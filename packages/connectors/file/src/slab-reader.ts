import type { ByteSource } from './byte-source.ts'
import { SlabPool } from './slab-pool.ts'

const defaultReadBytes = 262_144
const largeReadBytes = 1_048_576
// Room in front of each read for the unfinished record of the slab before it. Longer ones are put together apart.
const headRoomBytes = 8192

interface PendingRead {
  readonly slab: Buffer
  readonly offset: number
  readonly length: number
  readonly result: number | Promise<number>
}

/**
 * Brings a source into memory slab by slab. Bytes `pos` to `end` of `bytes` are there and not yet used; refilling
 * keeps them and puts what follows behind. Slabs are handed on, so no byte before `end` is written again before the pool
 * has the slab back.
 */
export class SlabReader {
  /** The slab. Bytes from `end` on are not set yet. */
  bytes: Buffer = Buffer.alloc(0)
  /** `bytes` up to `end`, for native searches that must not run past it. */
  window: Buffer = this.bytes
  pos = 0
  end = 0
  /** The position in the source of byte 0 of the slab. */
  base = 0
  readonly pool: SlabPool
  readonly #source: ByteSource
  readonly #readBytes: number
  readonly #headRoom: number
  #next: PendingRead | undefined
  #readPosition: number
  #sealed = false

  /** @param readBytes bytes a read; left out: 262144, and 1048576 once memory comes back. */
  constructor(source: ByteSource, position: number, readBytes?: number) {
    this.#source = source
    this.#readBytes = readBytes ?? defaultReadBytes
    this.#headRoom = Math.min(headRoomBytes, this.#readBytes)
    this.pool = new SlabPool(this.#headRoom + this.#readBytes, this.#headRoom + (readBytes ?? largeReadBytes))
    this.#readPosition = position
    this.base = position
  }

  /** The position in the source of the first byte that is not yet used. */
  get position(): number {
    return this.base + this.pos
  }

  /**
   * Brings more bytes behind those that are there. Calls never overlap.
   *
   * @returns how many came; 0 when the source has nothing more now.
   */
  refill(): number | Promise<number> {
    this.#next ??= this.#startRead()
    const { result } = this.#next
    return typeof result === 'number' ? this.#adopt(result) : result.then(this.#adopt, this.#giveUp)
  }

  /** Nothing is read behind `end` in this slab any more: a record without delimiter was handed out up to there. */
  seal(): void {
    this.#sealed = true
  }

  /** Waits for the read that is under way: only then may its descriptor be closed. */
  async settled(): Promise<void> {
    const read = this.#next
    if (read !== undefined) await Promise.resolve(read.result).catch(() => undefined)
  }

  #startRead(): PendingRead {
    // Small reads, as at the end of a growing file, share a slab.
    const room = this.bytes.length - this.end
    if (!this.#sealed && room >= this.#readBytes >> 1 && room > 0 && this.end > 0)
      return this.#read(this.bytes, this.end)
    return this.#read(this.pool.take(), this.#headRoom)
  }

  #read(slab: Buffer, offset: number): PendingRead {
    const length = slab.length - offset
    const result = this.#source.read(slab, offset, length, this.#readPosition)
    // The failure is met by the refill that asks for it; until then nobody listens.
    if (typeof result !== 'number') result.catch(() => undefined)
    return { slab, offset, length, result }
  }

  #giveUp = (error: unknown): never => {
    const read = this.#next
    this.#next = undefined
    if (read !== undefined && read.slab !== this.bytes) this.pool.release(read.slab)
    throw error
  }

  #adopt = (count: number): number => {
    const read = this.#next as PendingRead
    this.#next = undefined
    if (count === 0) {
      if (read.slab !== this.bytes) this.pool.release(read.slab)
      return 0
    }
    this.#readPosition += count
    if (read.slab === this.bytes) this.end += count
    else this.#join(read, count)
    this.window = this.bytes.subarray(0, this.end)
    // A full read says that more is there: fetch it while this one is worked on.
    if (count === read.length && this.#source.isPrompt) {
      this.#sealed = true
      this.#next = this.#startRead()
    }
    return count
  }

  #join({ slab, offset }: PendingRead, count: number): void {
    const carry = this.end - this.pos
    const position = this.position
    if (carry <= offset) {
      const start = offset - carry
      this.bytes.copy(slab, start, this.pos, this.end)
      this.#take(slab, start, offset + count, position)
      return
    }
    // A long record. Its slab grows by doubling, so that the copying stays in proportion to its length.
    const needed = carry + count
    if (this.bytes.length - this.end >= count) {
      slab.copy(this.bytes, this.end, offset, offset + count)
      this.end += count
      this.pool.release(slab)
      return
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * needed, this.#readBytes))
    this.bytes.copy(larger, 0, this.pos, this.end)
    slab.copy(larger, carry, offset, offset + count)
    this.pool.release(slab)
    this.#take(larger, 0, needed, position)
  }

  #take(slab: Buffer, pos: number, end: number, position: number): void {
    this.pool.release(this.bytes)
    this.bytes = slab
    this.pos = pos
    this.end = end
    this.base = position - pos
    this.#sealed = false
  }
}
