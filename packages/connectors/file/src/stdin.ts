import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { type ByteSource, StreamSource } from './byte-source.ts'
import { nodeFileSystem } from './file-system.ts'
import type { EndState, InputOpener, RecordInput } from './record-input.ts'

/** Opens the standard input once. It ends with its writer. */
export class StdinOpener implements InputOpener {
  readonly trouble = undefined
  #input: RecordInput | undefined
  readonly #stream: Readable | undefined

  /** @param stream the standard input of the process when left out. */
  constructor(stream?: Readable) {
    this.#stream = stream
  }

  async open(): Promise<RecordInput> {
    this.#input ??=
      this.#stream === undefined && fs.fstatSync(0).isFile() ? redirected() : piped(this.#stream)
    return this.#input
  }

  async close(): Promise<void> {
    await this.#input?.close()
  }
}

function standardInput(source: ByteSource, endState: () => EndState, close: () => void): RecordInput {
  return {
    path: '-',
    source,
    startPosition: 0,
    endState,
    acknowledge: () => undefined,
    close: async () => close(),
  }
}

/** `mqb … < file`: read as a file, from where its descriptor stands. */
function redirected(): RecordInput {
  const source: ByteSource = {
    isPrompt: true,
    read: (into, offset, length) => nodeFileSystem.read(0, into, offset, length, null),
  }
  return standardInput(
    source,
    () => 'ended',
    () => undefined,
  )
}

function piped(stream: Readable = process.stdin): RecordInput {
  const source = new StreamSource(stream)
  return standardInput(
    source,
    () => 'ended',
    () => source.close(),
  )
}
