import { JsonNumber, type JsonTree, type PathStep, writeTree } from '@mqb/json'
import { TransformFailure } from '../failure.ts'
import { type Choices, createChoices } from './choices.ts'
import { isJsonMedia } from './media-type.ts'
import { anyIndex, createShape, type ObjectShape, type SchemaNode, type TypeName, typeBits } from './node.ts'
import { SchemaError, type SchemaProblem } from './problem.ts'
import { SchemaRun } from './run.ts'

export interface CompileOptions {
  readonly coerce: boolean
  readonly applyDefaults: boolean
  readonly emptyAsNull: boolean
}

export interface CompiledSchema {
  readonly root: SchemaNode
  /** Keywords that say something about a document and are not applied, each once. */
  readonly ignored: readonly string[]
}

type Keywords = ReadonlyMap<string, JsonTree>
type Path = readonly PathStep[]

const typeNames: readonly string[] = Object.keys(typeBits)
const readable = ['integer', 'number', 'boolean'] as const
/** Those that lead to further schemas: what they say about a document would surprise by its absence. */
const structural = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'prefixItems',
  'patternProperties',
]
// Far deeper than anybody writes; keeps the stack of a walk small.
const deepest = 200

/**
 * Compiles a JSON Schema, of which some keywords are applied and all others left alone.
 *
 * @throws {SchemaError} with every mistake in the keywords that are applied.
 */
export function compileSchema(schema: JsonTree, options: CompileOptions): CompiledSchema {
  const compiler = new SchemaCompiler(options)
  const root = compiler.node(schema, [], { steps: [], level: 0, depth: 0 })
  if (compiler.problems.length > 0) throw new SchemaError(compiler.problems)
  return { root, ignored: [...compiler.ignored] }
}

/** Where a schema applies. */
interface Place {
  readonly steps: readonly PathStep[]
  readonly level: number
  readonly depth: number
}

class SchemaCompiler {
  readonly problems: SchemaProblem[] = []
  readonly ignored = new Set<string>()
  private readonly options: CompileOptions

  constructor(options: CompileOptions) {
    this.options = options
  }

  node(schema: JsonTree | undefined, path: Path, place: Place): SchemaNode {
    if (schema === undefined || typeof schema === 'boolean') return this.built(new Map(), path, place)
    if (!(schema instanceof Map)) {
      this.problem(path, 'a schema is an object', 'write one, for example: { type: integer }')
      return this.built(new Map(), path, place)
    }
    if (place.depth > deepest) {
      this.problem(path, `the schema nests more than ${deepest} levels deep`, 'make it flatter')
      return this.built(new Map(), path, place)
    }
    for (const keyword of structural) if (schema.has(keyword)) this.ignored.add(keyword)
    return this.built(schema as Keywords, path, place, true)
  }

  private built(keywords: Keywords, path: Path, place: Place, isDeclared = false): SchemaNode {
    const types = this.types(keywords, path)
    const nullable = this.nullable(keywords, path) || types.includes('null')
    const others = types.filter(type => type !== 'null')
    const choices = this.choices(keywords, path)
    const shape = this.shape(keywords, path, place)
    const items = this.items(keywords, path, place)
    const content = this.content(keywords, path, place)
    const node: SchemaNode = {
      steps: place.steps,
      isOpen: false,
      // The bit of null, which no other value has, keeps `type: "null"` from allowing everything.
      types: (others.length > 0 ? others : types).reduce((bits, type) => bits | typeBits[type], 0),
      expected: (nullable && others.length > 0 ? [...others, 'null'] : types).join(' or '),
      nullable,
      readings: readable
        .filter(type => others.includes(type))
        .toSorted((a, b) => others.indexOf(a) - others.indexOf(b)),
      fallback: undefined,
      choices,
      shape,
      items: items?.isOpen === true ? undefined : items,
      level: place.level,
      content,
    }
    node.fallback = this.fallback(keywords, path, node)
    const { fallback } = node
    const isOpen =
      node.types === 0 &&
      [choices, shape, node.items, content, fallback].every(part => part === undefined) &&
      !(this.options.emptyAsNull && isDeclared)
    return isOpen ? { ...node, isOpen } : node
  }

  private types(keywords: Keywords, path: Path): TypeName[] {
    const written = keywords.get('type')
    if (written === undefined) return []
    const list = Array.isArray(written) ? (written as readonly JsonTree[]) : [written]
    const types: TypeName[] = []
    for (const [at, name] of list.entries()) {
      if (typeof name === 'string' && typeNames.includes(name)) types.push(name as TypeName)
      else
        this.problem(
          Array.isArray(written) ? [...path, 'type', at] : [...path, 'type'],
          `there is no type ${writeTree(name)}`,
          `types are ${typeNames.join(', ')}`,
        )
    }
    return types
  }

  private nullable(keywords: Keywords, path: Path): boolean {
    const written = keywords.get('nullable')
    if (written !== undefined && typeof written !== 'boolean')
      this.problem(
        [...path, 'nullable'],
        `nullable is true or false, not ${writeTree(written)}`,
        'write nullable: true',
      )
    return written === true
  }

  private choices(keywords: Keywords, path: Path): Choices | undefined {
    const written = keywords.get('enum')
    if (written === undefined) return undefined
    if (Array.isArray(written) && written.length > 0) return createChoices(written as readonly JsonTree[])
    this.problem([...path, 'enum'], 'enum is a list of at least one value', 'write enum: [open, closed]')
    return undefined
  }

  private shape(keywords: Keywords, path: Path, place: Place): ObjectShape | undefined {
    const properties = keywords.get('properties')
    const required = this.required(keywords, path)
    const names = new Set<string>()
    if (properties instanceof Map) for (const name of properties.keys()) names.add(name as string)
    else if (properties !== undefined)
      this.problem(
        [...path, 'properties'],
        'properties is a map of schemas by name',
        'write properties: { qty: { type: integer } }',
      )
    for (const name of required) names.add(name)
    if (names.size > 32_000) {
      this.problem(
        [...path, 'properties'],
        'the schema names more than 32000 fields of one object',
        'name fewer',
      )
      return undefined
    }
    const members = [...names].map(name => ({
      name,
      node: this.node(
        properties instanceof Map ? (properties.get(name) as JsonTree | undefined) : undefined,
        [...path, 'properties', name],
        { ...place, steps: [...place.steps, name], depth: place.depth + 1 },
      ),
      required: required.includes(name),
    }))
    const used = members.filter(({ node, required: isRequired }) => !node.isOpen || isRequired)
    return used.length === 0 ? undefined : createShape(used)
  }

  private required(keywords: Keywords, path: Path): readonly string[] {
    const written = keywords.get('required')
    if (written === undefined) return []
    if (Array.isArray(written) && written.every(name => typeof name === 'string')) return written as string[]
    this.problem(
      [...path, 'required'],
      'required is a list of names of fields',
      'write it on the object around them: required: [id, qty]',
    )
    return []
  }

  private items(keywords: Keywords, path: Path, place: Place): SchemaNode | undefined {
    const written = keywords.get('items')
    if (written === undefined) return undefined
    if (Array.isArray(written)) {
      this.ignored.add('items as a list')
      return undefined
    }
    return this.node(written, [...path, 'items'], {
      steps: [...place.steps, anyIndex],
      level: place.level + 1,
      depth: place.depth + 1,
    })
  }

  private content(keywords: Keywords, path: Path, place: Place): SchemaNode | undefined {
    const media = keywords.get('contentMediaType')
    if (media === undefined) return undefined
    if (typeof media !== 'string') {
      this.problem(
        [...path, 'contentMediaType'],
        'contentMediaType is a text',
        'write contentMediaType: application/json',
      )
      return undefined
    }
    if (keywords.has('contentEncoding') || !isJsonMedia(media)) return undefined
    return this.node(keywords.get('contentSchema'), [...path, 'contentSchema'], {
      ...place,
      depth: place.depth + 1,
    })
  }

  /** The default, once it is what the schema itself makes of it. */
  private fallback(keywords: Keywords, path: Path, node: SchemaNode): Buffer | undefined {
    const written = keywords.get('default')
    if (written === undefined || !this.options.applyDefaults || this.problems.length > 0) return undefined
    const text = Buffer.from(writeTree(written))
    const run = new SchemaRun(node, { coerce: this.options.coerce, emptyAsNull: false })
    try {
      return run.result(text)
    } catch (error) {
      if (!(error instanceof TransformFailure)) throw error
      this.problem(
        [...path, 'default'],
        `the default does not fit the schema: ${error.reason}`,
        written === null ? 'remove it, or add nullable: true' : 'correct it, or remove it',
      )
      return undefined
    }
  }

  private problem(path: Path, what: string, mend: string): void {
    this.problems.push({ path, what, mend })
  }
}

/** A value of a configuration, as the tree that schemas are compiled from. */
export function treeOf(value: unknown): JsonTree {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value)))
    return new JsonNumber(String(value))
  if (Array.isArray(value)) return value.map(treeOf)
  if (typeof value === 'object')
    return new Map(Object.entries(value).map(([key, member]) => [key, treeOf(member)]))
  throw new SchemaError([
    {
      path: [],
      what: `${String(value)} is no JSON value`,
      mend: 'write a number, a text, true, false or null',
    },
  ])
}
