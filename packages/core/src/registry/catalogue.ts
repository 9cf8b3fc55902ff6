/** What a plugin can bring, as a user meets it. */
export type PartKind = 'endpoint' | 'middleware' | 'store' | 'scheme'

/** A part of a package that exists, installed or not. The list is data that the assembling program hands in. */
export interface KnownPart {
  readonly kind: 'endpoint' | 'middleware' | 'store'
  /** Configuration key, or the URL scheme of a store. */
  readonly name: string
  /** The package to install. */
  readonly package: string
  /** URI schemes of an endpoint. */
  readonly schemes?: readonly string[]
}

/** Different spellings of one endpoint: whichever of them is registered serves the others. */
const spellings: readonly (readonly string[])[] = [
  ['sqlx', 'sql'],
  ['sled', 'level'],
]

/** The other names under which an endpoint may be registered. */
export function otherSpellings(name: string): readonly string[] {
  return spellings.find(group => group.includes(name))?.filter(spelling => spelling !== name) ?? []
}

/** Endpoints that the configuration itself leads to, such as the output of a route that names none. */
const structural = [
  'null',
  'response',
  'static',
  'fanout',
  'switch',
  'request',
  'reader',
  'sequence',
  'stream_buffer',
]

/** Which package would bring this name, if any is known. */
export function packageOf(known: readonly KnownPart[], kind: PartKind, name: string): string | undefined {
  const names = [name, ...(kind === 'endpoint' ? otherSpellings(name) : [])]
  const found = known.find(part =>
    kind === 'scheme' ? part.schemes?.includes(name) : part.kind === kind && names.includes(part.name),
  )
  if (found !== undefined) return found.package
  return kind !== 'middleware' && kind !== 'store' && structural.includes(name)
    ? '@mqb/structural'
    : undefined
}
