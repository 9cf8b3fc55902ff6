export type Side = 'input' | 'output'

/**
 * What cannot travel through an endpoint: metadata at all, payloads that are not UTF-8 text without line breaks, empty
 * payloads, null payloads.
 */
export type Lack = 'metadata' | 'binary' | 'empty' | 'null'

/**
 * What an endpoint promises in one configuration on one side. The conformance suite, the start checks, the line about
 * the delivery guarantee and the tables in the docs all read it.
 */
export interface Capabilities {
  /** Input: messages stay with the source until they are committed. Output: a positive answer means the sink has them. */
  readonly acks: boolean
  /** Input: `ordered` when a commit implies everything before it, so that commits must be applied in order. */
  readonly commitOrder: 'any' | 'ordered'
  /**
   * Input, ordered: after a commit with an unsettled message in it, the next `receive` begins at that message by itself.
   * Left out: the input is closed and opened again for it.
   */
  readonly rewinds?: boolean
  /** Input: somebody waits for an answer. Output: it can answer. `depends` on what happens at run time. */
  readonly replies: 'no' | 'depends' | 'yes'
  /** Output: whether the order of sends is the order at the sink, and how sends must then be made. */
  readonly orderedPublish: 'no' | 'serial' | 'pipelined'
  /** Input: the metadata keys that name a position in the source, and whether reading from there gives the same again. */
  readonly position: { readonly keys: readonly string[]; readonly replayable: boolean } | null
  /** Input: a message that is read again has the same `id` as before. */
  readonly stableId: boolean
  /**
   * Input: keeps no position. Each opening hands out everything again from the first message, whatever was committed:
   * nothing is lost, and all of it is doubled. Left out: no.
   */
  readonly startsOver?: boolean
  /** Every message that comes in goes on. False behind whatever may remove messages from a batch. */
  readonly keepsAll: boolean
  /** Input: `pin` makes the source keep what comes. */
  readonly pins: boolean
  /** Output: writing the same message again leaves one: recognised by its id, or by its position in the source. */
  readonly idempotent: 'no' | 'by_id' | 'by_position'
  /** Output: it writes by source position, so inputs should stamp `mqb.src.*`. */
  readonly needsPosition: boolean
  /** The largest payload that it takes, where there is a bound. */
  readonly maxPayloadBytes: number | null
  /** What the system or the format cannot carry: lines of CSV have no metadata. Empty: it carries everything. */
  readonly lacks: readonly Lack[]
  /** Connections can be encrypted. */
  readonly tls: boolean
}
