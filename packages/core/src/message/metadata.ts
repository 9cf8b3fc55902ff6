/** Text pairs, flat: `[key, value, key, value]`. Each key once. Never changed in place. */
export type MetadataPairs = readonly string[]

export const noMetadata: MetadataPairs = Object.freeze([])

/** Keys that describe the hop, not the message. They are visible between middlewares and stay behind when published. */
export const sourcePrefix = 'mqb.src.'

/** The value of a key. */
export function findPair(pairs: MetadataPairs, key: string): string | undefined {
  for (let index = 0; index < pairs.length; index += 2) if (pairs[index] === key) return pairs[index + 1]
  return undefined
}

/** @throws {TypeError} a value is no text. */
export function pairsFromRecord(record: Readonly<Record<string, string>>): MetadataPairs {
  const pairs: string[] = []
  for (const key of Object.keys(record)) {
    const value = record[key]
    if (typeof value !== 'string')
      throw new TypeError(`metadata ${JSON.stringify(key)} must be a text, got ${typeof value}`)
    pairs.push(key, value)
  }
  return pairs
}

/** A plain object without prototype, so that a key such as `__proto__` is a key. */
export function recordFromPairs(pairs: MetadataPairs): Record<string, string> {
  const record: Record<string, string> = Object.create(null)
  for (let index = 0; index < pairs.length; index += 2) record[pairs[index]!] = pairs[index + 1]!
  return record
}

/** `additions` win over `pairs`; the order of `pairs` stays, new keys follow. */
export function mergePairs(pairs: MetadataPairs, additions: MetadataPairs): MetadataPairs {
  if (pairs.length === 0) return additions
  const merged = pairs.slice()
  for (let index = 0; index < additions.length; index += 2) {
    const key = additions[index]!
    let at = 0
    while (at < merged.length && merged[at] !== key) at += 2
    merged[at] = key
    merged[at + 1] = additions[index + 1]!
  }
  return merged
}

/** Without the keys that `drop` accepts; the same array when there are none. */
export function withoutPairs(pairs: MetadataPairs, drop: (key: string) => boolean): MetadataPairs {
  for (let index = 0; index < pairs.length; index += 2) {
    if (!drop(pairs[index]!)) continue
    const kept = pairs.slice(0, index)
    for (let rest = index + 2; rest < pairs.length; rest += 2)
      if (!drop(pairs[rest]!)) kept.push(pairs[rest]!, pairs[rest + 1]!)
    return kept
  }
  return pairs
}

const isSourceKey = (key: string): boolean => key.startsWith(sourcePrefix)

/** What a publisher may send on: everything but `mqb.src.*`. The same array when there is nothing to leave out. */
export function publishableMetadata(pairs: MetadataPairs): MetadataPairs {
  return withoutPairs(pairs, isSourceKey)
}

/** What an input may take over from outside: a sender cannot forge `mqb.src.*`. */
export function receivedMetadata(pairs: MetadataPairs): MetadataPairs {
  return withoutPairs(pairs, isSourceKey)
}
