import type { Clock } from '@mqb/core'
import { createTemplateScope, type Message, type MetadataPairs, pairsFromRecord } from '@mqb/core'
import type { StaticFields } from './config.ts'

/** Makes the fixed message. */
export interface StaticContent {
  readonly metadata: MetadataPairs
  /** Bytes that are the same for every message, where no token changes them. */
  readonly constant: Buffer | undefined
  /** The payload; tokens read `message`. */
  payload(message: Message): Buffer
}

const jsonContent = /^\s*(application|text)\/(json|jsonl|x-ndjson|x-json|[a-z0-9.-]+\+json)\s*(;|$)/i

export function compileContent(fields: StaticFields, clock: Pick<Clock, 'now'>): StaticContent {
  const escaped = fields.raw && isJson(fields.metadata)
  const body = escaped ? fields.body.withEscape('json') : fields.body
  const scope = createTemplateScope(clock)
  const render = (message: Message): Buffer => {
    const text = body.renderLoose(message, scope)
    return Buffer.from(fields.raw ? text : JSON.stringify(text))
  }
  const constant = body.isConstant
    ? Buffer.from(fields.raw ? body.prefix : JSON.stringify(body.prefix))
    : undefined
  return {
    metadata: pairsFromRecord(fields.metadata),
    constant,
    payload: message => constant ?? render(message),
  }
}

function isJson(metadata: Readonly<Record<string, string>>): boolean {
  return Object.entries(metadata).some(
    ([key, value]) => key.toLowerCase() === 'content-type' && jsonContent.test(value),
  )
}
