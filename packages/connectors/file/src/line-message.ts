import { Message, type MetadataPairs } from '@mqb/core'

/**
 * A message that was cut at line feeds: no line feed can be in it. A publisher that writes lines need not look for
 * one. Whatever is derived from it is a plain message again and gets looked at.
 */
export class LineMessage extends Message {
  constructor(slab: Buffer, start: number, end: number, metadata?: MetadataPairs) {
    super(slab, metadata, undefined, start, end)
  }
}
