import type { Registry } from '../../registry/index.ts'
import { formatPath, type PathPart } from '../path.ts'
import type { Environment } from '../plan/context.ts'
import type { Findings } from '../problems.ts'
import { readLiteral } from '../schema/read-literal.ts'
import { shapesOf } from '../schema/walk.ts'
import { fold, suggest } from '../suggest.ts'
import { Cursor } from '../tree/cursor.ts'
import { type Origins, writeEntry } from '../tree/origins.ts'
import { candidatesAt, entryLevel, isOpen, type Level } from './env-levels.ts'

const prefix = 'MQB__'

interface Match {
  readonly path: readonly PathPart[]
  readonly level: Level
}

/** Lays every `MQB__…` variable over the configuration. `root` is in canonical form. */
export function applyEnvironment(
  root: Cursor,
  env: Environment,
  registry: Registry,
  origins: Origins,
  findings: Findings,
): void {
  for (const variable of Object.keys(env).sort()) {
    const value = env[variable]
    if (!variable.toUpperCase().startsWith(prefix) || value === undefined || value === '') continue
    new Override(variable, value, root, registry, origins, findings).apply()
  }
}

class Override {
  readonly #variable: string
  readonly #text: string
  readonly #root: Cursor
  readonly #registry: Registry
  readonly #origins: Origins
  readonly #findings: Findings
  readonly #matches: Match[] = []
  /** The furthest that the name led, for the message when it leads nowhere. */
  #furthest: { path: readonly PathPart[]; rest: readonly string[]; names: readonly string[]; level: Level }

  constructor(
    variable: string,
    text: string,
    root: Cursor,
    registry: Registry,
    origins: Origins,
    findings: Findings,
  ) {
    this.#variable = variable
    this.#text = text
    this.#root = root
    this.#registry = registry
    this.#origins = origins
    this.#findings = findings
    this.#furthest = { path: [], rest: [], names: [], level: { kind: 'root' } }
  }

  apply(): void {
    const segments = this.#variable.slice(prefix.length).split('__')
    this.#search({ path: [], level: { kind: 'root' } }, segments)
    const distinct = new Map(this.#matches.map(match => [JSON.stringify(match.path), match]))
    if (distinct.size > 1) {
      const paths = [...distinct.values()].map(match => displayPath(match.path))
      this.#fail(
        [],
        'MQB_CONFIG_ENV',
        `the name fits several settings: ${paths.join(', ')}`,
        'rename one of them, or set it in the file',
      )
      return
    }
    const [match] = distinct.values()
    if (match === undefined) this.#reportNoMatch()
    else this.#set(match)
  }

  #search(at: Match, rest: readonly string[]): void {
    if (rest.length === 0) {
      this.#matches.push(at)
      return
    }
    const candidates = candidatesAt(at.level, this.#root.at(at.path).value, this.#root, this.#registry)
    if (rest.length <= (this.#furthest.rest.length || Number.POSITIVE_INFINITY)) {
      this.#furthest = {
        path: at.path,
        rest,
        names: candidates.map(candidate => candidate.name),
        level: at.level,
      }
    }
    let found = false
    for (const { name, path, level } of candidates) {
      for (let count = 1; count <= rest.length; count++) {
        if (fold(rest.slice(0, count).join('__')) !== fold(name)) continue
        found = true
        this.#search({ path: [...at.path, ...path], level }, rest.slice(count))
      }
    }
    if (!found && isOpen(at.level))
      this.#search({ path: [...at.path, fold(rest[0]!)], level: entryLevel(at.level) }, rest.slice(1))
  }

  #reportNoMatch(): void {
    const { path, rest, names, level } = this.#furthest
    const written = rest.join('__')
    const isList = level.kind === 'list' || (level.kind === 'schema' && shapesOf(level.schema).has('list'))
    if (isList || Array.isArray(this.#root.at(path).value)) {
      this.#fail(
        path,
        'MQB_CONFIG_ENV',
        `${displayPath(path)} is a list: its entries cannot be set one by one`,
        'set the whole list as JSON',
      )
      return
    }
    const meant = suggest(fold(rest[0] ?? ''), names)
    const place = path.length === 0 ? 'the configuration has no' : `${displayPath(path)} has no`
    const head = this.#variable.slice(0, this.#variable.length - written.length)
    this.#fail(
      path,
      'MQB_CONFIG_ENV',
      `the variable sets nothing: ${place} ${JSON.stringify(fold(rest[0] ?? ''))}`,
      meant === undefined
        ? 'correct its name, or unset it'
        : `did you mean ${head}${meant.toUpperCase().replaceAll('-', '_')}?`,
    )
  }

  #set({ path, level }: Match): void {
    const around = this.#root.at(path)
    const literal = readLiteral(level.kind === 'schema' ? level.schema : undefined, this.#text)
    if (literal === undefined) {
      this.#fail(
        path,
        'MQB_CONFIG_ENV',
        `the value for ${displayPath(path)} begins like JSON, but is none`,
        'correct it, for example: ["a", "b"]',
      )
      return
    }
    const place = around.place()
    let container = this.#root.value as Record<string, unknown> | unknown[]
    for (const part of path.slice(0, -1)) {
      const next = (container as Record<PathPart, unknown>)[part]
      if (next !== null && next !== undefined && typeof next !== 'object') {
        this.#fail(
          path,
          'MQB_CONFIG_ENV',
          `${displayPath(path.slice(0, -1))} is written as a single value, it has no parts`,
          'write it as a map in the file first',
        )
        return
      }
      if (next === null || next === undefined) writeEntry(container, part, {})
      container = (container as Record<PathPart, unknown>)[part] as Record<string, unknown> | unknown[]
    }
    const key = path.at(-1)!
    writeEntry(container, key, literal.value)
    this.#origins.set(container, key, {
      key: around.origin.key,
      value: place,
      text: this.#text,
      fromEnvironment: true,
      label: this.#variable,
    })
  }

  #fail(path: readonly PathPart[], code: string, what: string, mend: string): void {
    const place = path.length === 0 ? undefined : this.#root.at(path).place(true)
    const origin = { label: this.#variable, value: place }
    this.#findings.error(Cursor.root(undefined, { origin }), { code, what, mend })
  }
}

/** Routes are called by their name alone. */
function displayPath(path: readonly PathPart[]): string {
  return formatPath(path[0] === 'routes' && path.length > 1 ? path.slice(1) : path)
}
