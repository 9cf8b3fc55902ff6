import { type ErrorKind, MqbError } from './mqb-error.ts'

/**
 * Turns whatever was thrown into an `MqbError`. A kind that is set deep in the chain of causes survives wrapping.
 *
 * @param fallback the kind of an error that says nothing: `retryable` on outputs and in handlers, `connection` on inputs.
 */
export function toMqbError(thrown: unknown, fallback: ErrorKind, where?: string): MqbError {
  if (MqbError.is(thrown)) {
    return thrown.where === undefined && where !== undefined ? thrown.with({ where }) : thrown
  }
  const inner = findInChain(thrown)
  return new MqbError({
    kind: inner?.kind ?? kindFromFlag(thrown) ?? fallback,
    code: inner?.code ?? 'MQB_UNEXPECTED',
    what: describeThrown(thrown),
    cause: thrown,
    ...(where === undefined ? {} : { where }),
  })
}

/** One line about anything that can be thrown, also `undefined`. Shows the chain of causes once. */
export function describeThrown(thrown: unknown): string {
  const parts: string[] = []
  let current = thrown
  for (let depth = 0; depth < 8; depth++) {
    const text = oneLine(current)
    if (!parts.some(part => part.includes(text))) parts.push(text)
    const next = current instanceof Error || MqbError.is(current) ? current.cause : undefined
    if (next === undefined || next === current) break
    current = next
  }
  return parts.join(': ')
}

function oneLine(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message
  if (typeof thrown === 'string') return thrown === '' ? 'an empty text was thrown' : thrown
  try {
    return `${thrown === null ? 'null' : typeof thrown} was thrown: ${String(JSON.stringify(thrown) ?? thrown)}`
  } catch {
    return `a value of type ${typeof thrown} was thrown`
  }
}

function findInChain(thrown: unknown): MqbError | undefined {
  let current = thrown
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    current = current.cause
    if (MqbError.is(current)) return current
  }
  return undefined
}

/** `error.retryable`, as handlers and simple endpoints may set it. */
function kindFromFlag(thrown: unknown): ErrorKind | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('retryable' in thrown)) return undefined
  if (thrown.retryable === true) return 'retryable'
  return thrown.retryable === false ? 'permanent' : undefined
}
