import { spill, viewOf } from '../words.ts'

const usual = 16 * 1024

/** Bytes that are needed until a message is written: decoded documents and rewritten numbers. */
export class Scratch {
  bytes: Buffer = Buffer.allocUnsafeSlow(usual)
  view: DataView = viewOf(this.bytes)
  top = 0

  /** Makes room for this many bytes behind `top`. What lies below stays; `bytes` may be another buffer afterwards. */
  grow(length: number): Buffer {
    if (this.top + length + spill > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.top + length + spill))
      this.bytes.copy(larger, 0, 0, this.top)
      this.use(larger)
    }
    return this.bytes
  }

  /** Appends a text, and returns where it begins. */
  text(text: string): number {
    const start = this.top
    this.top += this.grow(3 * text.length).write(text, start)
    return start
  }

  reset(): void {
    this.top = 0
    if (this.bytes.length > 64 * usual) this.use(Buffer.allocUnsafeSlow(usual))
  }

  private use(bytes: Buffer): void {
    this.bytes = bytes
    this.view = viewOf(bytes)
  }
}
