import { JsonSyntaxError } from './error.ts'
import { expectKey, maxDepth, plain, skipColon, skipSpace, skipString, skipValue } from './scan.ts'
import { readString } from './string.ts'
import type { TrieNode } from './trie.ts'

/** One pass over one document. `results` holds offsets by the numbers that the trie's nodes carry. */
export function walkDocument(
  root: TrieNode,
  bytes: Uint8Array,
  start: number,
  end: number,
  results: Int32Array,
): void {
  // Not fill(): results are short, and calling it costs more than the loop.
  for (let index = 0; index < results.length; index++) results[index] = -1
  const at = skipSpace(bytes, start, end)
  const after = skipSpace(bytes, walkValue(root, bytes, at, end, start, 0, results), end)
  if (after !== end) throw new JsonSyntaxError('more follows after the end of the document', after - start)
}

/** Records the value at `at` and looks for what the node wants inside. Recurses only as deep as paths are long. */
function walkValue(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  results: Int32Array,
): number {
  const first = at < end ? bytes[at] : undefined
  let after: number
  if (first === 0x7b && (node.members.length > 0 || node.tail >= 0))
    after = walkObject(node, bytes, at, end, start, depth, results)
  else if (first === 0x5b && node.elements.length > 0)
    after = walkArray(node, bytes, at, end, start, depth, results)
  else after = at < end ? skipMember(bytes, at, end, start, depth) : skipValue(bytes, at, end, start, depth)
  if (node.range >= 0) {
    results[node.range] = at
    results[node.range + 1] = after
  }
  return after
}

function walkObject(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  results: Int32Array,
): number {
  if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
  let p = skipSpace(bytes, at + 1, end)
  if (p < end && bytes[p] === 0x7d) return closeObject(node, p, 0, results)
  // The usual bytes are handled in place, since calls per token are what a walk spends its time on. Whatever is unusual
  // goes to the functions that know all cases, mistakes included.
  for (;;) {
    if (p >= end || bytes[p] !== 0x22) p = expectKey(bytes, p, end, start)
    const key = p++
    // No look at the end for each byte: a string that is not closed runs into a quote behind the document, or out of the
    // buffer, and is refused then.
    while (plain[bytes[p] as number] === 1) p++
    let child: TrieNode | undefined
    if (p < end && bytes[p] === 0x22) child = memberOf(node, bytes, key, ++p)
    else {
      p = skipString(bytes, key, end, start)
      child = escapedMemberOf(node, bytes, key, p)
    }
    if (p < end && bytes[p] === 0x3a) p++
    else p = skipColon(bytes, p, end, start)
    if (p >= end || (bytes[p] as number) <= 0x20) p = skipSpace(bytes, p, end)
    if (child !== undefined) {
      const { results: forgotten } = child
      for (let index = 0; index < forgotten.length; index++) results[forgotten[index] as number] = -1
      p = walkValue(child, bytes, p, end, start, depth + 1, results)
    } else p = skipMember(bytes, p, end, start, depth + 1)
    if (p >= end || (bytes[p] as number) <= 0x20) p = skipSpace(bytes, p, end)
    const next = p < end ? bytes[p] : undefined
    if (next === 0x7d) return closeObject(node, p, 1, results)
    if (next !== 0x2c) throw new JsonSyntaxError('a , or } is expected', p - start)
    p++
  }
}

const digit = new Uint8Array(256).fill(1, 0x30, 0x3a)

/** As `skipValue`, with a short way for strings without escapes and numbers without exponent. */
function skipMember(bytes: Uint8Array, at: number, end: number, start: number, depth: number): number {
  const first = bytes[at] as number
  let p = at + 1
  if (first === 0x22) {
    while (plain[bytes[p] as number] === 1) p++
    if (p < end && bytes[p] === 0x22) return p + 1
  } else if (first >= 0x31 && first <= 0x39) {
    while (digit[bytes[p] as number] === 1) p++
    if (bytes[p] === 0x2e && digit[bytes[p + 1] as number] === 1) {
      p += 2
      while (digit[bytes[p] as number] === 1) p++
    }
    if (p < end && (bytes[p] === 0x2c || bytes[p] === 0x7d)) return p
  }
  return skipValue(bytes, at, end, start, depth)
}

function closeObject(node: TrieNode, at: number, hasMembers: 0 | 1, results: Int32Array): number {
  if (node.tail >= 0) {
    results[node.tail] = at
    results[node.tail + 1] = hasMembers
  }
  return at + 1
}

function walkArray(
  node: TrieNode,
  bytes: Uint8Array,
  at: number,
  end: number,
  start: number,
  depth: number,
  results: Int32Array,
): number {
  if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
  let p = skipSpace(bytes, at + 1, end)
  if (p < end && bytes[p] === 0x5d) return p + 1
  let wanted = 0
  for (let index = 0; ; index++) {
    if (wanted < node.indices.length && node.indices[wanted] === index)
      p = walkValue(node.elements[wanted++] as TrieNode, bytes, p, end, start, depth + 1, results)
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
  return undefined
}

function escapedMemberOf(
  node: TrieNode,
  bytes: Uint8Array,
  key: number,
  keyEnd: number,
): TrieNode | undefined {
  const at = node.texts.indexOf(readString(bytes, key, keyEnd))
  return at < 0 ? undefined : node.members[at]
}
