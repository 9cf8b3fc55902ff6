import type { Opening } from './opening.ts'

/** A position that a source can go on from, kept outside the source. */
export interface Checkpoint {
  /** In the printed form of the source, e.g. `int:1000`. */
  readonly value: string
  /** What it is a position in, without credentials. */
  readonly source: string
  /** Milliseconds since the Unix epoch. */
  readonly updatedMs: number
}

/** Keeps one position per name. */
export interface CheckpointStore {
  load(name: string): Promise<Checkpoint | undefined>
  /** Durable when it resolves. */
  save(name: string, checkpoint: Checkpoint): Promise<void>
  /** Resolves to whether there was one. */
  remove(name: string): Promise<boolean>
  close(): Promise<void>
}

/** What a deduplication store knows about a key that somebody wants to deliver. */
export type Reservation =
  /**
   * Nobody else has it: it is ours now, until promoted, released, or 5 s after our last heartbeat. Also the answer when
   * it is ours already, so that asking again does no harm; the 5 s begin anew.
   */
  | { readonly state: 'reserved' }
  /**
   * Delivered before and not expired: `nowMs` is before its `expiresMs`. `reply` is what its first delivery answered,
   * where that was kept.
   */
  | { readonly state: 'seen'; readonly reply?: Uint8Array }
  /** Another holder is delivering it. Ask again, or wait for the redelivery. */
  | { readonly state: 'busy' }

/** Remembers which keys were delivered, and which are being delivered, for all who share it. */
export interface DedupStore {
  /** Reserves keys for a holder, answers by position. A key that occurs twice in one call gets the same answer twice. */
  reserve(keys: readonly string[], holder: string, nowMs: number): Promise<readonly Reservation[]>
  /**
   * Marks reserved keys as delivered: seen while `nowMs` is below `expiresMs`, new again from `expiresMs` on. Only after
   * the ack. `replies` by position, where kept.
   */
  promote(
    keys: readonly string[],
    holder: string,
    expiresMs: number,
    replies?: readonly (Uint8Array | undefined)[],
  ): Promise<void>
  /** Gives reserved keys back after a failure: the next copy is new again. */
  release(keys: readonly string[], holder: string): Promise<void>
  /** Keeps all reservations of a holder alive for another 5 s. */
  heartbeat(holder: string, nowMs: number): Promise<void>
  /** Removes what has expired. Expiry itself is judged on read, exactly. */
  sweep(nowMs: number): Promise<void>
  close(): Promise<void>
}

/** A state as stored: JSON text and the number of its writes. */
export interface VersionedState {
  readonly state: string
  readonly version: number
}

/** A write that only takes effect while the row still has the version that it was computed from. */
export interface StateWrite {
  readonly key: string
  readonly state: string
  /** 0 for a key that was absent. */
  readonly expectedVersion: number
}

/** Versioned states by key, at most 512 characters a key. */
export interface StateStore {
  /** By position; `undefined` where there is none. One round trip. */
  load(keys: readonly string[]): Promise<readonly (VersionedState | undefined)[]>
  /**
   * Writes by position, durable when it resolves.
   *
   * @returns the positions that were refused because the version had moved. Empty: all written. A store that
   *   writes a batch as one transaction writes nothing when it refuses any.
   */
  write(writes: readonly StateWrite[]): Promise<readonly number[]>
  close(): Promise<void>
}

export type StoreKind = 'checkpoint' | 'dedup' | 'state'
export type StoreOf<K extends StoreKind> = K extends 'checkpoint'
  ? CheckpointStore
  : K extends 'dedup'
    ? DedupStore
    : StateStore

/**
 * Stores behind one URL scheme. A kind that is left out is refused at start with a list of schemes that have it.
 * Every URL is a text: providers read what follows their scheme themselves.
 */
export interface StoreProvider {
  readonly summary: string
  readonly examples: readonly string[]
  checkpoint?(url: string, opening: Opening): Promise<CheckpointStore>
  dedup?(url: string, opening: Opening): Promise<DedupStore>
  state?(url: string, opening: Opening): Promise<StateStore>
}
