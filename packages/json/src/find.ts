import type { PathStep } from './path.ts'
import { collectResults, createNode, growPath, type TrieNode } from './trie.ts'
import { walkDocument } from './walk.ts'

/** Where values were found: `[start, end, start, end, …]` by slot, -1 for an absent one. Offsets in the given bytes. */
export type Ranges = Int32Array

/** A set of paths, compiled: finds all of them in one pass over a document. */
export interface PathProgram {
  readonly paths: readonly (string | readonly PathStep[])[]
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

/**
 * @param paths as text, or as steps, which can have any name: one with a dot or a bracket in it too.
 * @throws {SyntaxError} for a path that cannot be read; {TypeError} for one that stands twice.
 */
export function compilePaths(paths: readonly (string | readonly PathStep[])[]): PathProgram {
  const root = createNode()
  for (const [slot, path] of paths.entries()) {
    const node = growPath(root, path).at(-1) as TrieNode
    if (node.range >= 0) throw new TypeError(`the path ${JSON.stringify(path)} stands twice`)
    node.range = 2 * slot
  }
  collectResults(root)
  return {
    paths,
    createRanges: () => new Int32Array(2 * paths.length).fill(-1),
    find: (bytes, start, end, ranges) => walkDocument(root, bytes, start, end, ranges),
  }
}
