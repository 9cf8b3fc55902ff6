import { JsonSyntaxError } from './error.ts'
import { expectKey, maxDepth, skipColon, skipSpace, skipString, skipValue } from './scan.ts'
import { readString } from './string.ts'
import { buildTrie, type TrieNode } from './trie.ts'

/** Where values were found: `[start, end, start, end, …]` by slot, -1 for an absent one. Offsets in the given bytes. */
export type Ranges = Int32Array

/** A set of paths, compiled: finds all of them in one pass over a document. */
export interface PathProgram {
  readonly paths: readonly string[]
  /** Makes a result to be filled again and again. */
  createRanges(): Ranges
  /**
   * Finds the value of each path in the document `bytes[start, end)`, which is checked from its first byte to its last:
   * what `JSON.parse` refuses is refused. Of a repeated key the last one counts, as in `JSON.parse`.
   *
   * @throws {JsonSyntaxError} the bytes are not one JSON document; `ranges` then means nothing.
   */
  find(bytes: Uint8Array, start: number, end: number, ranges: Ranges): void
}

/** @throws {SyntaxError} for a path that cannot be read; {TypeError} for one that stands twice. */
export function compilePaths(paths: readonly string[]): PathProgram {
  const root = buildTrie(paths)
  return {
    paths,
    createRanges: () => new Int32Array(2 * paths.length).fill(-1),
    find(bytes, start, end, ranges) {
      ranges.fill(-1)
      const at = skipSpace(bytes, start, end)
      const after = skipSpace(bytes, findValue(root, bytes, at, end, start, 0, ranges), end)
      if (after !== end)
        throw new JsonSyntaxError('more follows after the end of the document', after - start)
    },
  }
}

/** Records the value at `at` and looks for what the node wants inside. Recurses only as deep as paths are long. */
function findValue(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  ranges: Ranges,
): number {
  const first = at < end ? bytes[at] : undefined
  let after: number
  if (first === 0x7b && node.members.length > 0)
    after = findInObject(node, bytes, at, end, start, depth, ranges)
  else if (first === 0x5b && node.elements.length > 0)
    after = findInArray(node, bytes, at, end, start, depth, ranges)
  else after = skipValue(bytes, at, end, start, depth)
  if (node.slot >= 0) {
    ranges[2 * node.slot] = at
    ranges[2 * node.slot + 1] = after
  }
  return after
}

function findInObject(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  ranges: Ranges,
): number {
  if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
  let p = skipSpace(bytes, at + 1, end)
  if (p < end && bytes[p] === 0x7d) return p + 1
  for (;;) {
    const key = expectKey(bytes, p, end, start)
    const keyEnd = skipString(bytes, key, end, start)
    const child = memberOf(node, bytes, key, keyEnd)
    p = skipColon(bytes, keyEnd, end, start)
    if (child === undefined) p = skipValue(bytes, p, end, start, depth + 1)
    else {
      for (const slot of child.below) {
        ranges[2 * slot] = -1
        ranges[2 * slot + 1] = -1
      }
      p = findValue(child, bytes, p, end, start, depth + 1, ranges)
    }
    p = skipSpace(bytes, p, end)
    const next = p < end ? bytes[p] : undefined
    if (next === 0x7d) return p + 1
    if (next !== 0x2c) throw new JsonSyntaxError('a , or } is expected', p - start)
    p++
  }
}

function findInArray(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  ranges: Ranges,
): number {
  if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
  let p = skipSpace(bytes, at + 1, end)
  if (p < end && bytes[p] === 0x5d) return p + 1
  let wanted = 0
  for (let index = 0; ; index++) {
    if (wanted < node.indices.length && node.indices[wanted] === index)
      p = findValue(node.elements[wanted++] as TrieNode, bytes, p, end, start, depth + 1, ranges)
    else p = skipValue(bytes, p, end, start, depth + 1)
    p = skipSpace(bytes, p, end)
    const next = p < end ? bytes[p] : undefined
    if (next === 0x5d) return p + 1
    if (next !== 0x2c) throw new JsonSyntaxError('a , or ] is expected', p - start)
    p = skipSpace(bytes, p + 1, end)
  }
}

/** The child whose name stands between the quotes at `key` and `keyEnd - 1`. */
function memberOf(node: TrieNode, bytes: Uint8Array, key: number, keyEnd: number): TrieNode | undefined {
  const names = node.names
  const from = key + 1
  const length = keyEnd - from - 1
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as Buffer
    if (name.length !== length) continue
    let same = 0
    while (same < length && name[same] === bytes[from + same]) same++
    if (same === length) return node.members[index]
  }
  for (let p = from; p < keyEnd - 1; p++) {
    if (bytes[p] !== 0x5c) continue
    const at = node.texts.indexOf(readString(bytes, key, keyEnd))
    return at < 0 ? undefined : node.members[at]
  }
  return undefined
}
