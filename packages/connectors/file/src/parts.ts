// From here on a range is written from the slab that it lies in; smaller ones are cheaper to copy together.
const ownPartBytes = 4096
const slabBytes = 262_144

/** Collects what one batch writes, as few large pieces. */
export class Parts {
  readonly buffers: Buffer[] = []
  byteLength = 0
  #slab: Buffer | undefined
  #flushed = 0
  #used = 0

  /** A range of a slab that will not change. */
  addRange(slab: Buffer, start: number, end: number): void {
    const length = end - start
    if (length < ownPartBytes) {
      this.addCopy(slab, start, end)
      return
    }
    this.#flush()
    this.buffers.push(start === 0 && end === slab.length ? slab : slab.subarray(start, end))
    this.byteLength += length
  }

  addCopy(bytes: Buffer, start: number, end: number): void {
    const length = end - start
    const slab = this.#room(length)
    bytes.copy(slab, this.#used, start, end)
    this.#used += length
    this.byteLength += length
  }

  addByte(byte: number): void {
    this.#room(1)[this.#used++] = byte
    this.byteLength++
  }

  /** What is to be written, in order. */
  finish(): readonly Buffer[] {
    this.#flush()
    return this.buffers
  }

  #room(length: number): Buffer {
    if (this.#slab !== undefined && this.#slab.length - this.#used >= length) return this.#slab
    this.#flush()
    this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, length))
    this.#flushed = 0
    this.#used = 0
    return this.#slab
  }

  #flush(): void {
    if (this.#slab === undefined || this.#used === this.#flushed) return
    this.buffers.push(this.#slab.subarray(this.#flushed, this.#used))
    this.#flushed = this.#used
  }
}
