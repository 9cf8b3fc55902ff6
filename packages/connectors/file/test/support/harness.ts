import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ALL_ACKED,
  type Batch,
  type Consumer,
  EndOfStream,
  Message,
  type Outcomes,
  type Publisher,
} from '@mqb/core'
import { createTestOpening, type TestOpening, type TestOpeningOptions } from '@mqb/testkit'
import type { ZodType } from 'zod'
import { type FileConfig, fileConfig } from '../../src/config.ts'
import { createFileEndpoint, type FileParts } from '../../src/endpoint.ts'

/** A folder of its own for one test. */
export function scratch(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-file-'))
  return { path: name => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function parseConfig(raw: unknown): FileConfig {
  return (fileConfig as ZodType<FileConfig>).parse(raw)
}

export const never: AbortSignal = new AbortController().signal

export interface Opened<T> {
  readonly end: T
  readonly opening: TestOpening
}

export async function openInput(
  raw: unknown,
  options: TestOpeningOptions = {},
  parts: Partial<FileParts> = {},
): Promise<Opened<Consumer>> {
  const opening = createTestOpening({ side: 'input', drain: true, ...options })
  const endpoint = createFileEndpoint(parts)
  const config = parseConfig(raw)
  await endpoint.prepare?.(config, {
    ...opening,
    capabilities: endpoint.capabilities(config, 'input'),
    middlewares: [],
    enclosing: [],
    warn: () => undefined,
  })
  return { end: (await endpoint.openConsumer?.(config, opening)) as Consumer, opening }
}

export async function openOutput(
  raw: unknown,
  options: TestOpeningOptions = {},
  parts: Partial<FileParts> = {},
): Promise<Opened<Publisher>> {
  const opening = createTestOpening({ side: 'output', ...options })
  const endpoint = createFileEndpoint(parts)
  const config = parseConfig(raw)
  await endpoint.prepare?.(config, {
    ...opening,
    capabilities: endpoint.capabilities(config, 'output'),
    middlewares: [],
    enclosing: [],
    warn: () => undefined,
  })
  return { end: (await endpoint.openPublisher?.(config, opening)) as Publisher, opening }
}

export const plenty = { messages: 1000, bytes: 1 << 30 }

/** Reads until the input has nothing more, committing as it goes. */
export async function readAll(
  consumer: Consumer,
  limit = plenty,
  outcomes: Outcomes = ALL_ACKED,
): Promise<Message[]> {
  const messages: Message[] = []
  for (;;) {
    const batch = await receive(consumer, limit)
    if (batch === undefined || batch.messages.length === 0) return messages
    messages.push(...batch.messages)
    await batch.commit(outcomes)
  }
}

export async function receive(consumer: Consumer, limit = plenty): Promise<Batch | undefined> {
  try {
    return await consumer.receive(limit, never)
  } catch (error) {
    if (EndOfStream.is(error)) return undefined
    throw error
  }
}

/** The next batch with something in it. */
export async function receiveSome(consumer: Consumer, limit = plenty): Promise<Batch> {
  for (;;) {
    const batch = await consumer.receive(limit, AbortSignal.timeout(5000))
    if (batch.messages.length > 0) return batch
  }
}

export const texts = (messages: readonly Message[]): string[] => messages.map(message => message.text())

export const messagesOf = (payloads: readonly (string | Buffer | null)[]): Message[] =>
  payloads.map(payload => new Message(payload))
