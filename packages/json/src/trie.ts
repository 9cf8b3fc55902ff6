import { type PathStep, parsePath } from './path.ts'

/** A position in a set of paths. Children are told apart by the bytes of their name, or by their index. */
export interface TrieNode {
  /** Position of the path that ends here; -1 for none. */
  slot: number
  /** UTF-8 bytes of the names of `members`, by position. */
  readonly names: Buffer[]
  readonly texts: string[]
  readonly members: TrieNode[]
  /** Ascending indices of `elements`, by position. */
  readonly indices: number[]
  readonly elements: TrieNode[]
  /** All slots below this node, itself excluded: to be cleared when the same key comes again. */
  readonly below: number[]
}

/** Paths by slot become one trie. The same path in two slots is refused: give it one slot. */
export function buildTrie(paths: readonly string[]): TrieNode {
  const root = createNode()
  for (const [slot, path] of paths.entries()) {
    const trail = [root]
    let node = root
    for (const step of parsePath(path)) {
      node = childOf(node, step)
      trail.push(node)
    }
    if (node.slot >= 0) throw new TypeError(`the path ${JSON.stringify(path)} stands twice`)
    node.slot = slot
    for (const passed of trail.slice(0, -1)) passed.below.push(slot)
  }
  return root
}

function createNode(): TrieNode {
  return { slot: -1, names: [], texts: [], members: [], indices: [], elements: [], below: [] }
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
