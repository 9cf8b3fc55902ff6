import {
  type Document,
  isAlias,
  isScalar,
  isSeq,
  isMap as isYamlMap,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'
import type { PathPart } from '../path.ts'
import type { Findings } from '../problems.ts'
import { Cursor } from '../tree/cursor.ts'
import { type Container, type Origins, type Place, writeEntry } from '../tree/origins.ts'
import { checkJson } from './json-text.ts'
import { isUnclosed, losesItsWay, syntaxFinding } from './yaml-errors.ts'

export interface DocumentSource {
  readonly text: string
  /** As shown in messages. */
  readonly file: string
  readonly format: 'yaml' | 'json'
}

/** Entries that aliases may add up to: a document that unfolds into more is an attack or a mistake. */
const maxAliasedNodes = 100_000

/**
 * Reads YAML (1.2, core rules) or JSON. Remembers where each entry stands and the characters of each scalar. A document
 * with errors is read as far as it goes, so that the rest of it is checked too.
 *
 * @returns a cursor on the tree; its value is `undefined` for an empty document.
 */
export function parseText(source: DocumentSource, origins: Origins, findings: Findings): Cursor {
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    uniqueKeys: true,
    prettyErrors: false,
  })
  const builder = new TreeBuilder(document, { file: source.file, lines, origins, findings })
  if (source.format === 'json') checkJson(text, placeFinder(source.file, lines), findings)
  const root = builder.root()
  const errors = [...document.errors, ...document.warnings]
  builder.reportSyntax(source.format === 'json' ? errors.filter(isDuplicateKey) : errors, text)
  return root
}

/** All that is checked in JSON beyond what the JSON parser says. */
function isDuplicateKey(error: YAMLError): boolean {
  return error.code === 'DUPLICATE_KEY'
}

export type PlaceFinder = (offset: number) => Place

function placeFinder(file: string, lines: LineCounter): PlaceFinder {
  return offset => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
}

interface BuilderParts {
  readonly file: string
  readonly lines: LineCounter
  readonly origins: Origins
  readonly findings: Findings
}

interface EntryStart {
  readonly offset: number
  readonly container: Container
  readonly key: PathPart
}

class TreeBuilder {
  readonly #document: Document.Parsed
  readonly #origins: Origins
  readonly #findings: Findings
  readonly #place: PlaceFinder
  readonly #open = new Set<Node>()
  readonly #broken = new Set<Node>()
  readonly #starts: EntryStart[] = []
  #aliased = 0
  #aliasDepth = 0

  constructor(document: Document.Parsed, parts: BuilderParts) {
    this.#document = document
    this.#origins = parts.origins
    this.#findings = parts.findings
    this.#place = placeFinder(parts.file, parts.lines)
  }

  root(): Cursor {
    const node = this.#document.contents as Node | null
    const value = node === null ? undefined : this.#build(node)
    return Cursor.root(value, { origins: this.#origins, origin: this.#originOf(node, undefined) })
  }

  reportSyntax(errors: readonly YAMLError[], text: string): void {
    const offsets = new Set<number>()
    let isLost = false
    for (const error of errors) {
      if (isLost && losesItsWay(error)) continue
      isLost ||= losesItsWay(error)
      const offset = error.pos[0]
      const nearest = isDuplicateKey(error) ? undefined : this.#nearestEntry(offset)
      // The parser notices a missing quote where the text ends; what has to be mended is where it begins.
      const begin =
        isUnclosed(error) && nearest !== undefined
          ? this.#origins.get(nearest.container, nearest.key)?.value
          : undefined
      if (!offsets.has(offset)) {
        this.#findings.error(Cursor.atPlace(begin ?? this.#place(offset)), syntaxFinding(error, text))
      }
      offsets.add(offset)
      if (nearest !== undefined) this.#quiet(nearest)
    }
  }

  #nearestEntry(offset: number): EntryStart | undefined {
    let nearest: EntryStart | undefined
    for (const start of this.#starts) {
      if (start.offset <= offset && (nearest === undefined || start.offset >= nearest.offset)) nearest = start
    }
    return nearest
  }

  /** What a syntax error left of the entry before it is not worth a finding of its own. */
  #quiet({ container, key }: EntryStart): void {
    this.#origins.set(container, key, { ...this.#origins.get(container, key), reported: true })
  }

  #build(node: Node | null): unknown {
    if (isAlias(node)) return this.#resolveAlias(node)
    if (isYamlMap(node)) return this.#buildMap(node.items as Pair<Node, Node | null>[])
    if (isSeq(node)) return this.#buildList(node.items as Node[])
    return isScalar(node) ? node.value : null
  }

  /** A copy for each use, so that no two places of the tree share an object. */
  #resolveAlias(alias: Node & { source: string }): unknown {
    const target = (alias as unknown as { resolve(document: Document): Node | undefined }).resolve(
      this.#document,
    )
    const recursive = target !== undefined && this.#open.has(target)
    if (target === undefined || recursive || ++this.#aliased > maxAliasedNodes) {
      this.#broken.add(alias)
      this.#findings.error(Cursor.atPlace(this.#place(alias.range?.[0] ?? 0)), {
        code: 'MQB_CONFIG_SYNTAX',
        what: recursive
          ? `the alias *${alias.source} stands inside what it names`
          : target === undefined
            ? `the alias *${alias.source} names nothing`
            : 'the aliases of this document unfold into too much',
        mend: 'write the value out',
      })
      return null
    }
    this.#aliasDepth += 1
    const value = this.#build(target)
    this.#aliasDepth -= 1
    return value
  }

  #buildMap(items: readonly Pair<Node, Node | null>[]): unknown {
    const map: Record<string, unknown> = {}
    for (const item of items) {
      const key = this.#keyText(item.key)
      if (key === undefined || Object.hasOwn(map, key)) continue
      this.#addEntry(map, key, item.value, item.key)
    }
    return map
  }

  #buildList(items: readonly Node[]): unknown {
    const list: unknown[] = []
    for (const [index, item] of items.entries()) this.#addEntry(list, index, item, undefined)
    return list
  }

  #addEntry(container: Container, key: PathPart, node: Node | null, keyNode: Node | undefined): void {
    if (node !== null) {
      this.#open.add(node)
      if (this.#aliasDepth > 0) this.#aliased++
    }
    writeEntry(container, key, this.#build(node))
    if (node !== null) this.#open.delete(node)
    const isBroken = node !== null && this.#broken.has(node)
    this.#origins.set(container, key, { ...this.#originOf(node, keyNode), reported: isBroken })
    const offset = keyNode?.range?.[0] ?? node?.range?.[0]
    if (offset !== undefined) this.#starts.push({ offset, container, key })
  }

  #keyText(key: Node | null): string | undefined {
    if (isScalar(key))
      return key.source === undefined || key.source === '' ? String(key.value ?? '') : key.source
    this.#findings.error(Cursor.atPlace(this.#place(key?.range?.[0] ?? 0)), {
      code: 'MQB_CONFIG_SYNTAX',
      what: 'a key has to be a plain text',
      mend: 'put quotes around it',
    })
    return undefined
  }

  #originOf(node: Node | null, key: Node | undefined) {
    const at = (range: Node['range']): Place | undefined =>
      range == null ? undefined : this.#place(range[0])
    const text = isScalar(node) && node.source !== undefined ? node.source : undefined
    const isEmpty = node?.range != null && node.range[0] === node.range[1] && key !== undefined
    return { key: at(key?.range), value: isEmpty ? undefined : at(node?.range), text }
  }
}
