import type { Ranges } from './find.ts'
import { parsePath } from './path.ts'
import { collectResults, createNode, growPath, type TrieNode } from './trie.ts'
import { kindAt } from './value.ts'
import { walkDocument } from './walk.ts'

/** Paths to read and paths to write, compiled: one pass finds what is read and where to write. */
export interface SpliceProgram {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  createRanges(): Ranges
  /** As `PathProgram.find`. The ranges of `reads` come first, by slot; what follows is for `splice`. */
  find(bytes: Uint8Array, start: number, end: number, ranges: Ranges): void
  /** Bytes that `splice` writes at the most, besides the document and the values. */
  readonly overhead: number
  /**
   * Writes the document with a value at each write path to `out`. Objects are made on the way; a null there counts as
   * absent. Every byte that is not written stays as it is.
   *
   * @param ranges as `find` filled them for the same bytes.
   * @param values JSON text by position of `writes`; `undefined` leaves that path alone.
   * @returns one past the last byte written to `out`.
   * @throws {TypeError} something that is no object stands on the way to a path: `blockedAt` names it beforehand.
   */
  splice(
    bytes: Buffer,
    start: number,
    end: number,
    ranges: Ranges,
    values: readonly (Buffer | undefined)[],
    out: Buffer,
    at: number,
  ): number
  /** The position in `writes` of the first path with something on its way that is no object; -1 when all can be written. */
  blockedAt(bytes: Uint8Array, ranges: Ranges): number
}

/** How a write path runs through the trie. */
interface Target {
  readonly path: string
  readonly steps: readonly string[]
  readonly trail: readonly TrieNode[]
}

/** A part of the document to replace, in order of position. Several insertions may share one position. */
interface Edit {
  readonly from: number
  readonly to: number
  /** What is written in its place, in order. */
  readonly pieces: readonly Buffer[]
}

const comma = Buffer.from(',')

/**
 * @throws {SyntaxError} for a path that cannot be read; {TypeError} for a write path that goes through an array, is
 *   empty, stands twice, or lies within another one.
 */
export function compileSplice(reads: readonly string[], writes: readonly string[]): SpliceProgram {
  const root = createNode()
  let size = 0
  const claim = (): number => {
    size += 2
    return size - 2
  }
  for (const path of reads) {
    const node = growPath(root, path).at(-1) as TrieNode
    if (node.range >= 0) throw new TypeError(`the path ${JSON.stringify(path)} stands twice`)
    node.range = claim()
  }
  const targets = writes.map(path => createTarget(root, path))
  refuseOverlaps(targets)
  for (const { trail } of targets) {
    for (const [depth, node] of trail.entries()) {
      if (node.range < 0) node.range = claim()
      if (depth < trail.length - 1 && node.tail < 0) node.tail = claim()
    }
  }
  collectResults(root)
  const overhead = targets.reduce(
    (sum, { steps }) =>
      sum + 1 + steps.reduce((bytes, step) => bytes + Buffer.byteLength(JSON.stringify(step)) + 4, 0),
    0,
  )

  return {
    reads,
    writes,
    overhead,
    createRanges: () => new Int32Array(size).fill(-1),
    find: (bytes, start, end, ranges) => walkDocument(root, bytes, start, end, ranges),
    blockedAt: (bytes, ranges) => targets.findIndex(target => isBlocked(target, bytes, ranges)),
    splice(bytes, start, end, ranges, values, out, at) {
      const edits = planEdits(targets, bytes, ranges, values)
      let from = start
      let to = at
      for (const edit of edits) {
        to += bytes.copy(out, to, from, edit.from)
        for (const piece of edit.pieces) {
          out.set(piece, to)
          to += piece.length
        }
        from = edit.to
      }
      return to + bytes.copy(out, to, from, end)
    },
  }
}

function createTarget(root: TrieNode, path: string): Target {
  const steps = parsePath(path)
  if (steps.length === 0 || !steps.every(step => typeof step === 'string'))
    throw new TypeError(`nothing can be written to ${JSON.stringify(path)}: name a field, without indices`)
  return { path, steps: steps as string[], trail: growPath(root, path) }
}

function refuseOverlaps(targets: readonly Target[]): void {
  for (const one of targets)
    for (const other of targets)
      if (one !== other && other.trail.includes(one.trail.at(-1) as TrieNode))
        throw new TypeError(
          `${JSON.stringify(one.path)} and ${JSON.stringify(other.path)} can not both be written`,
        )
}

/** How many nodes of the trail exist as objects that can be written to; the rest has to be made. */
function reach(target: Target, bytes: Uint8Array, ranges: Ranges): { depth: number; blocked: boolean } {
  for (let depth = 0; depth < target.trail.length - 1; depth++) {
    const node = target.trail[depth] as TrieNode
    if ((ranges[node.tail] as number) >= 0) continue
    const start = ranges[node.range] as number
    return { depth, blocked: start >= 0 && (depth === 0 || kindAt(bytes, start) !== 'null') }
  }
  return { depth: target.trail.length - 1, blocked: false }
}

const isBlocked = (target: Target, bytes: Uint8Array, ranges: Ranges): boolean =>
  reach(target, bytes, ranges).blocked

function planEdits(
  targets: readonly Target[],
  bytes: Uint8Array,
  ranges: Ranges,
  values: readonly (Buffer | undefined)[],
): readonly Edit[] {
  // What is missing below the same node is written as one object, so it is gathered first.
  const missing = new Map<
    TrieNode,
    { from: number; to: number; parts: { steps: readonly string[]; value: Buffer }[] }
  >()
  const edits: Edit[] = []
  for (const [index, target] of targets.entries()) {
    const value = values[index]
    if (value === undefined) continue
    const { depth, blocked } = reach(target, bytes, ranges)
    if (blocked)
      throw new TypeError(
        `${JSON.stringify(target.path)} can not be written: something that is no object stands on its way`,
      )
    const node = target.trail[depth] as TrieNode
    const start = ranges[node.range] as number
    if (start >= 0) {
      // The value itself, or a null on the way that gives place to an object.
      const steps = target.steps.slice(depth)
      if (steps.length === 0)
        edits.push({ from: start, to: ranges[node.range + 1] as number, pieces: [value] })
      else gather(missing, node, start, ranges[node.range + 1] as number, steps, value)
    } else {
      const parent = target.trail[depth - 1] as TrieNode
      const close = ranges[parent.tail] as number
      gather(missing, parent, close, close, target.steps.slice(depth - 1), value)
    }
  }
  for (const [node, { from, to, parts }] of missing) {
    const members = writeMembers(parts)
    const pieces =
      from !== to
        ? [Buffer.from('{'), ...members, Buffer.from('}')]
        : ranges[node.tail + 1] === 1
          ? [comma, ...members]
          : members
    edits.push({ from, to, pieces })
  }
  return edits.length > 1 ? edits.sort((one, other) => one.from - other.from || one.to - other.to) : edits
}

function gather(
  missing: Map<TrieNode, { from: number; to: number; parts: { steps: readonly string[]; value: Buffer }[] }>,
  node: TrieNode,
  from: number,
  to: number,
  steps: readonly string[],
  value: Buffer,
): void {
  const entry = missing.get(node)
  if (entry === undefined) missing.set(node, { from, to, parts: [{ steps, value }] })
  else entry.parts.push({ steps, value })
}

/** `"a":1,"b":{"c":2}` for members that have to be made, those below one name together. */
function writeMembers(parts: readonly { steps: readonly string[]; value: Buffer }[]): Buffer[] {
  const pieces: Buffer[] = []
  const names = [...new Set(parts.map(part => part.steps[0] as string))]
  for (const [index, name] of names.entries()) {
    if (index > 0) pieces.push(comma)
    const own = parts.filter(part => part.steps[0] === name)
    const leaf = own.find(part => part.steps.length === 1)
    pieces.push(keyPiece(name))
    if (leaf !== undefined) pieces.push(leaf.value)
    else {
      const inner = own.map(part => ({ steps: part.steps.slice(1), value: part.value }))
      pieces.push(Buffer.from('{'), ...writeMembers(inner), Buffer.from('}'))
    }
  }
  return pieces
}

const keyPieces = new Map<string, Buffer>()

/** `"name":`, kept: names come from the configuration, so there are few. */
function keyPiece(name: string): Buffer {
  const known = keyPieces.get(name)
  if (known !== undefined) return known
  const piece = Buffer.from(`${JSON.stringify(name)}:`)
  keyPieces.set(name, piece)
  return piece
}
