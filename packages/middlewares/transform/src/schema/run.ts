import { JsonSyntaxError } from '@mqb/json'
import { asFailure, TransformFailure } from '../failure.ts'
import { Slab } from '../slab.ts'
import type { SchemaNode } from './node.ts'
import { RepeatedMember, type SchemaOptions, Walk } from './walk.ts'

/** Checks documents against one schema and changes them as it says, in one pass over their bytes. One at a time. */
export class SchemaRun {
  private readonly walk: Walk

  constructor(root: SchemaNode, options: SchemaOptions) {
    this.walk = new Walk(root, options)
  }

  /**
   * Looks at the document `bytes[start, end)`. Afterwards `isChanged`, `length` and `write` are about it, until `done`.
   *
   * @throws {TransformFailure}
   */
  look(bytes: Buffer, start: number, end: number): void {
    try {
      this.walk.pass(bytes, start, end)
    } catch (error) {
      if (error instanceof JsonSyntaxError) throw asFailure(error)
      if (!(error instanceof RepeatedMember) && !(error instanceof TransformFailure)) throw error
      // What failed may have been a member that does not count.
      this.walk.careful = true
      try {
        this.walk.pass(bytes, start, end)
      } catch (final) {
        throw asFailure(final)
      } finally {
        this.walk.careful = false
      }
    }
  }

  get isChanged(): boolean {
    return this.walk.edits.count > 0
  }

  /** Writes the document that was looked at, with its changes, and returns where it begins and ends in the slab. */
  write(bytes: Buffer, start: number, end: number, slab: Slab, more: number): { start: number; end: number } {
    const { walk } = this
    const { edits } = walk
    const length = edits.lengthOf(end - start, 0)
    const at = slab.reserve(length, more)
    edits.write(bytes, walk.viewOf(bytes), start, end, 0, walk.scratch, slab, at)
    slab.finish()
    return { start: at, end: at + length }
  }

  /** What becomes of a whole document, in a buffer of its own. @throws {TransformFailure} */
  result(document: Buffer): Buffer {
    this.look(document, 0, document.length)
    const slab = new Slab()
    const { start, end } = this.write(document, 0, document.length, slab, 0)
    this.done()
    return slab.buffer.subarray(start, end)
  }

  /** Lets go of the document. */
  done(): void {
    this.walk.edits.release()
    this.walk.scratch.reset()
  }

  /** Lets go of the buffer that was looked at last. */
  rest(): void {
    this.walk.rest()
  }
}
