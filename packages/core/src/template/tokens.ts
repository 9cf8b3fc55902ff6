import { MqbError } from '../errors/mqb-error.ts'

/** One piece of a template: literal text, or a token that is replaced. */
export type TemplatePart = string | TemplateToken

export type GeneratedKind = 'uuid' | 'now' | 'timestamp' | 'counter' | 'random'

export type TemplateToken = {
  /** As written, for messages: `${payload:order.id}`. */
  readonly source: string
  /** `| raw`: spliced verbatim where JSON escaping would apply. */
  readonly raw: boolean
} & (
  | { readonly namespace: 'payload' | 'metadata' | 'env'; readonly selector: string }
  | { readonly namespace: 'message'; readonly selector: 'id' }
  | {
      readonly namespace: 'gen'
      readonly selector: GeneratedKind
      readonly min: number
      readonly max: number
    }
)

const namespaces = ['payload', 'metadata', 'message', 'gen', 'env'] as const
type Namespace = (typeof namespaces)[number]

const randomShape = /^random\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)$/

/**
 * Splits a template at its tokens. `$${` is a literal `${`; `${x:…}` with an unknown namespace stays as written.
 *
 * @throws {MqbError} kind `config`, code `MQB_TEMPLATE_INVALID`, for a token of a known namespace that is not closed or
 *   whose selector means nothing.
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) break
    literal += text.slice(at, dollar)
    if (text.startsWith('$${', dollar)) {
      literal += '${'
      at = dollar + 3
      continue
    }
    const namespace = namespaceAt(text, dollar)
    if (namespace === undefined) {
      literal += '$'
      at = dollar + 1
      continue
    }
    const close = text.indexOf('}', dollar)
    if (close < 0) throw invalid(text.slice(dollar), 'it is never closed', 'add the closing }')
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push(parseToken(namespace, text.slice(dollar, close + 1)))
    at = close + 1
  }
  literal += text.slice(at)
  if (literal !== '') parts.push(literal)
  return parts
}

function namespaceAt(text: string, dollar: number): Namespace | undefined {
  if (text[dollar + 1] !== '{') return undefined
  return namespaces.find(namespace => text.startsWith(`${namespace}:`, dollar + 2))
}

function parseToken(namespace: Namespace, source: string): TemplateToken {
  const inner = source.slice(namespace.length + 3, -1)
  const bar = inner.lastIndexOf('|')
  const raw = bar >= 0 && inner.slice(bar + 1).trim() === 'raw'
  const selector = (raw ? inner.slice(0, bar) : inner).trim()
  if (selector === '')
    throw invalid(
      source,
      'nothing is selected',
      `name what to take, as in \${${namespace}:${exampleOf(namespace)}}`,
    )
  switch (namespace) {
    case 'message':
      if (selector !== 'id')
        throw invalid(source, `a message has no ${JSON.stringify(selector)}`, 'only ${message:id} exists')
      return { source, raw, namespace, selector }
    case 'gen':
      return { source, raw, namespace, ...parseGenerator(source, selector) }
    default:
      return { source, raw, namespace, selector }
  }
}

function parseGenerator(
  source: string,
  selector: string,
): { selector: GeneratedKind; min: number; max: number } {
  if (selector === 'uuid' || selector === 'now' || selector === 'timestamp' || selector === 'counter')
    return { selector, min: 0, max: 0 }
  const bounds = randomShape.exec(selector)
  if (bounds === null)
    throw invalid(
      source,
      `${JSON.stringify(selector)} is no generator`,
      'use uuid, now, timestamp, counter or random(1,100)',
    )
  const min = Number(bounds[1])
  const max = Number(bounds[2])
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max || max - min >= 2 ** 48)
    throw invalid(
      source,
      'its bounds are not usable',
      'give two integers, the smaller first, less than 2^48 apart',
    )
  return { selector: 'random', min, max }
}

function exampleOf(namespace: Namespace): string {
  return { payload: 'order.id', metadata: 'kind', message: 'id', gen: 'uuid', env: 'HOME' }[namespace]
}

function invalid(token: string, what: string, mend: string): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_TEMPLATE_INVALID',
    what: `the token ${token} can not be used: ${what}`,
    mend,
  })
}
