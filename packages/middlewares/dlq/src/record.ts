import { describeThrown, type Message, type MetadataPairs, type MqbError, sourcePrefix } from '@mqb/core'

/** Keys that a dead letter adds to the metadata of its message begin with it. */
export const deadLetterPrefix = 'mqb.dlq.'
const keptSourcePrefix = `${deadLetterPrefix}${sourcePrefix.slice('mqb.'.length)}`
// Headers of brokers are small; whoever needs more has the code and the log.
const longestReason = 2000

export interface DeadLetterFacts {
  readonly route: string
  /** The part that failed, or the output as a whole. */
  readonly endpoint: string
  /** When the message was handed to the output, milliseconds since the Unix epoch. */
  readonly firstMs: number
  readonly failedMs: number
  readonly scrub: (text: string) => string
}

/**
 * The message as `dlq` received it, with the reason in its metadata. Its own metadata stays as it is, so that a replay
 * sends the same message again.
 *
 * @param failed the message as it was where it failed, if that was another.
 */
export function deadLetter(
  message: Message,
  error: MqbError,
  failed: Message | undefined,
  facts: DeadLetterFacts,
): Message {
  const { scrub } = facts
  const own = message.metadataPairs
  const pairs: string[] = []
  // A replayed dead letter that fails again: the new reason replaces the old one, the place it came from stays.
  let keepsSource = false
  for (let index = 0; index < own.length; index += 2) {
    const key = own[index]!
    if (key.startsWith(keptSourcePrefix)) keepsSource = true
    else if (key.startsWith(deadLetterPrefix)) continue
    pairs.push(key, own[index + 1]!)
  }
  const add = (name: string, value: string): void => {
    pairs.push(`${deadLetterPrefix}${name}`, value)
  }
  add('route', facts.route)
  add('endpoint', scrub(error.where ?? facts.endpoint))
  add('kind', error.kind)
  add('code', error.code)
  add('reason', shortened(scrub(reasonOf(error))))
  add('attempts', String(attemptsOf(error)))
  add('first_at', new Date(facts.firstMs).toISOString())
  add('failed_at', new Date(facts.failedMs).toISOString())
  if (failed !== undefined && differs(message, failed))
    add('payload_at_failure', failed.payload.toString('base64'))
  if (!keepsSource) copySource(own, pairs)
  return message.withPairs(pairs)
}

/** `mqb.src.*` describes the hop and is not published; under this name it is. */
function copySource(own: MetadataPairs, pairs: string[]): void {
  for (let index = 0; index < own.length; index += 2) {
    const key = own[index]!
    if (key.startsWith(sourcePrefix))
      pairs.push(`${keptSourcePrefix}${key.slice(sourcePrefix.length)}`, own[index + 1]!)
  }
}

function differs(message: Message, failed: Message): boolean {
  return failed !== message && (failed.isNull !== message.isNull || !failed.payload.equals(message.payload))
}

/** What happened, with the causes that say something new. Code and place have keys of their own. */
function reasonOf(error: MqbError): string {
  if (error.cause === undefined) return error.what
  const cause = describeThrown(error.cause)
  return cause.length === 0 || error.what.includes(cause) ? error.what : `${error.what}: ${cause}`
}

function shortened(text: string): string {
  return text.length <= longestReason ? text : `${text.slice(0, longestReason - 1)}…`
}

function attemptsOf(error: MqbError): number {
  const attempts = error.details?.attempts
  return typeof attempts === 'number' && Number.isInteger(attempts) && attempts > 0 ? attempts : 1
}
