import { randomInt } from 'node:crypto'
import type { Clock } from '../contract/opening.ts'
import { MqbError } from '../errors/mqb-error.ts'
import { mintId } from '../message/id.ts'
import type { Message } from '../message/message.ts'
import { createPayloadReader, type PayloadReader } from './payload.ts'
import { parseTemplate, type TemplatePart, type TemplateToken } from './tokens.ts'

type Readers = ReadonlyMap<TemplateToken, PayloadReader>

/** What tokens draw on besides the message. One per endpoint, so that `${gen:counter}` counts per endpoint. */
export interface TemplateScope {
  readonly clock: Pick<Clock, 'now'>
  /** Next value of `${gen:counter}`; grows with each one rendered. */
  counter: number
}

export function createTemplateScope(clock: Pick<Clock, 'now'>): TemplateScope {
  return { clock, counter: 0 }
}

/** A compiled `${namespace:selector}` text. Rendering parses nothing. */
export interface Template {
  /** As written. */
  readonly source: string
  /** Has no token: renders the same text always. */
  readonly isConstant: boolean
  /** The text before the first token. */
  readonly prefix: string
  /** Payload paths that it reads, each once. Empty: the payload is never looked at. */
  readonly payloadPaths: readonly string[]
  /** Metadata keys that it reads, each once. */
  readonly metadataKeys: readonly string[]
  /**
   * The text for a message; `undefined` when a token does not resolve: an absent or null payload field, a payload that
   * is not JSON, an absent metadata key.
   */
  render(message: Message, scope: TemplateScope): string | undefined
  /** As `render`, with the empty text for tokens that do not resolve. */
  renderLoose(message: Message, scope: TemplateScope): string
  /** The first token that does not resolve, as written: for the error about a message. */
  unresolved(message: Message): string | undefined
  /** The same text with another way of escaping, for what is known only after the text was compiled. */
  withEscape(escaping: NonNullable<TemplateOptions['escape']>): Template
}

export interface TemplateOptions {
  /** `json`: values that come from the message are escaped as the inside of a JSON text, unless marked `| raw`. */
  readonly escape?: 'none' | 'json'
  /** Read once, here. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Compiles a text with `${namespace:selector}` tokens; `$${` is a literal `${`.
 *
 * @throws {MqbError} kind `config`: code `MQB_TEMPLATE_INVALID` for a malformed token, `MQB_TEMPLATE_ENV_UNSET` for an
 *   environment variable that is not set.
 */
export function compileTemplate(text: string, options: TemplateOptions = {}): Template {
  const env = options.env ?? process.env
  const parts = mergeLiterals(parseTemplate(text).map(part => resolveEnvironment(part, env)))
  const readers = compileReaders(parts)
  const tokens = parts.filter(part => typeof part !== 'string')
  const escapes = options.escape === 'json'
  const selectors = (namespace: 'payload' | 'metadata'): string[] => [
    ...new Set(tokens.filter(token => token.namespace === namespace).map(token => token.selector)),
  ]
  const first = parts[0]
  const constant = tokens.length === 0 ? (typeof first === 'string' ? first : '') : undefined

  function renderWith(
    message: Message,
    scope: TemplateScope,
    missing: string | undefined,
  ): string | undefined {
    if (constant !== undefined) return constant
    let rendered = ''
    for (const part of parts) {
      if (typeof part === 'string') {
        rendered += part
        continue
      }
      const value = resolveToken(part, message, scope, readers) ?? missing
      if (value === undefined) return undefined
      rendered +=
        escapes && !part.raw && part.namespace !== 'gen' ? JSON.stringify(value).slice(1, -1) : value
    }
    return rendered
  }

  return {
    source: text,
    isConstant: constant !== undefined,
    prefix: typeof first === 'string' ? first : '',
    payloadPaths: selectors('payload'),
    metadataKeys: selectors('metadata'),
    render: (message, scope) => renderWith(message, scope, undefined),
    renderLoose: (message, scope) => renderWith(message, scope, '') as string,
    unresolved: message =>
      tokens.find(
        token => token.namespace !== 'gen' && resolveFromMessage(token, message, readers) === undefined,
      )?.source,
    withEscape: escaping => compileTemplate(text, { ...options, escape: escaping, env }),
  }
}

function resolveEnvironment(
  part: TemplatePart,
  env: Readonly<Record<string, string | undefined>>,
): TemplatePart {
  if (typeof part === 'string' || part.namespace !== 'env') return part
  const value = env[part.selector]
  if (value !== undefined) return value
  throw new MqbError({
    kind: 'config',
    code: 'MQB_TEMPLATE_ENV_UNSET',
    what: `the environment variable ${part.selector} is not set`,
    mend: `set ${part.selector}, or remove ${part.source}`,
  })
}

function mergeLiterals(parts: readonly TemplatePart[]): TemplatePart[] {
  const merged: TemplatePart[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return merged
}

/** One reader per payload token. A path that cannot be read is a mistake of the template. */
function compileReaders(parts: readonly TemplatePart[]): Readers {
  const readers = new Map<TemplateToken, PayloadReader>()
  for (const part of parts) {
    if (typeof part === 'string' || part.namespace !== 'payload') continue
    try {
      readers.set(part, createPayloadReader(part.selector))
    } catch (cause) {
      throw new MqbError({
        kind: 'config',
        code: 'MQB_TEMPLATE_INVALID',
        what: `the token ${part.source} can not be used: ${(cause as Error).message}`,
        mend: 'name a field of the payload, such as order.items[0].sku',
        cause,
      })
    }
  }
  return readers
}

function resolveToken(
  token: TemplateToken,
  message: Message,
  scope: TemplateScope,
  readers: Readers,
): string | undefined {
  if (token.namespace !== 'gen') return resolveFromMessage(token, message, readers)
  switch (token.selector) {
    case 'uuid':
      return mintId()
    case 'now':
      return new Date(scope.clock.now()).toISOString()
    case 'timestamp':
      return String(scope.clock.now())
    case 'counter':
      return String(scope.counter++)
    case 'random':
      return String(randomInt(token.min, token.max + 1))
  }
}

function resolveFromMessage(token: TemplateToken, message: Message, readers: Readers): string | undefined {
  switch (token.namespace) {
    case 'metadata':
      return message.getMetadata(token.selector)
    case 'message':
      return message.id
    case 'payload':
      return readers.get(token)?.(message)
    default:
      return undefined
  }
}
