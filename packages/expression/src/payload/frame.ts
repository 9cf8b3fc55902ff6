import type { Host } from '../functions/definition.ts'
import type { Value } from '../value/value.ts'

/** What an expression reads: the payload and the metadata of a message. A `Message` of @mqb/core is one. */
export interface Document {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  /** Flat `[key, value, …]`. */
  readonly metadataPairs: readonly string[]
}

/** What a compiled expression works on during one evaluation. Made once, filled again and again. */
export class Frame {
  bytes: Uint8Array = noBytes
  ranges: Int32Array = noRanges
  metadataPairs: readonly string[] = noPairs
  roots: readonly Value[] = noRoots
  /** Elements of the closures being run, and assigned fields. */
  readonly locals: Value[] = []
  /** Values of payload paths that are read more than once. */
  readonly memo: (Value | undefined)[] = []
  readonly host: Host

  constructor(host: Host) {
    this.host = host
  }
}

const noBytes = new Uint8Array(0)
const noRanges = new Int32Array(0)
const noPairs: readonly string[] = []
const noRoots: readonly Value[] = []

/** Lets go of the payload, so that a frame that waits for the next one keeps no slab alive. */
export function release(frame: Frame): void {
  frame.bytes = noBytes
}

/** Lets go of what is given anew for each evaluation. */
export function reset(frame: Frame): void {
  frame.metadataPairs = noPairs
  frame.roots = noRoots
}

export type Run = (frame: Frame) => Value
