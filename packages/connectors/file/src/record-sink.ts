import type { MqbError } from '@mqb/core'

/** The records of one batch, ready to be written. */
export interface WriteJob {
  readonly parts: readonly Buffer[]
  readonly byteLength: number
  /** Stands in front when the file is empty at that moment. */
  readonly header: Buffer | undefined
  /** What the header names. */
  readonly columns: readonly string[] | undefined
  /** Answer only when the bytes are on the disk. */
  readonly sync: boolean
  readonly signal: AbortSignal
}

/** Where records go. */
export interface RecordSink {
  readonly path: string
  /** Jobs are written in the order of the calls. Resolves to what went wrong; then nothing of the job is written. */
  append(job: WriteJob): Promise<MqbError | undefined>
  /** Forces what was written to the disk, where there is one. */
  sync(): Promise<void>
  close(): Promise<void>
}
