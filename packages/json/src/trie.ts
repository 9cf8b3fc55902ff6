import { type PathStep, parsePath } from './path.ts'

/** A position in a set of paths. Children are told apart by the bytes of their name, or by their index. */
export interface TrieNode {
  /** Where the range of this node stands in the result; -1 when nobody asks for it. */
  range: number
  /** Where its members end: the closing brace, and whether it has members. -1 unless something may be added to it. */
  tail: number
  /** UTF-8 bytes of the names of `members`, by position. */
  readonly names: Buffer[]
  readonly texts: string[]
  readonly members: TrieNode[]
  /** Ascending indices of `elements`, by position. */
  readonly indices: number[]
  readonly elements: TrieNode[]
  /** Results of this node and of all below it: forgotten when the same key comes again. */
  readonly results: number[]
}

export function createNode(): TrieNode {
  return { range: -1, tail: -1, names: [], texts: [], members: [], indices: [], elements: [], results: [] }
}

/** The nodes along a path, the root first; made where they are missing. */
export function growPath(root: TrieNode, path: string | readonly PathStep[]): TrieNode[] {
  const trail = [root]
  for (const step of typeof path === 'string' ? parsePath(path) : path)
    trail.push(childOf(trail.at(-1) as TrieNode, step))
  return trail
}

/** Fills `results` of every node, once ranges and tails are known. */
export function collectResults(node: TrieNode): readonly number[] {
  if (node.range >= 0) node.results.push(node.range, node.range + 1)
  if (node.tail >= 0) node.results.push(node.tail, node.tail + 1)
  for (const child of [...node.members, ...node.elements]) node.results.push(...collectResults(child))
  return node.results
}

function childOf(node: TrieNode, step: PathStep): TrieNode {
  if (typeof step === 'string') {
    const at = node.texts.indexOf(step)
    if (at >= 0) return node.members[at] as TrieNode
    const child = createNode()
    node.names.push(Buffer.from(step))
    node.texts.push(step)
    node.members.push(child)
    return child
  }
  const at = node.indices.indexOf(step)
  if (at >= 0) return node.elements[at] as TrieNode
  const child = createNode()
  const place = node.indices.findIndex(index => index > step)
  const before = place < 0 ? node.indices.length : place
  node.indices.splice(before, 0, step)
  node.elements.splice(before, 0, child)
  return child
}
