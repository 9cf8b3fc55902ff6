import { readFileSync } from 'node:fs'
import { describeThrown, MqbError } from '@mqb/core'
import { JsonSyntaxError, type JsonTree, readTree, writeTree } from '@mqb/json'
import type { TransformConfig } from './config.ts'
import { Mapping, type MappingRule } from './mapping/mapping.ts'
import { pathText } from './path-text.ts'
import { type CompiledSchema, compileSchema, treeOf } from './schema/compile.ts'
import { SchemaError } from './schema/problem.ts'

/** The stages of a configuration that need compiling and a look at files. */
export interface TransformPlan {
  readonly mapping: Mapping | undefined
  readonly schema: CompiledSchema | undefined
}

/** @throws {MqbError} kind `config`, when `schema_file` cannot be used. */
export function planTransform(config: TransformConfig, path: string): TransformPlan {
  const { schema_file: file } = config
  return {
    mapping: compileMapping(config),
    schema: file === undefined ? compileInlineSchema(config) : readSchemaFile(file, config, path),
  }
}

/** @throws {MappingError} */
export function compileMapping({ mapping }: Pick<TransformConfig, 'mapping'>): Mapping | undefined {
  const rules = new Map<string, MappingRule>()
  for (const [key, written] of Object.entries(mapping)) {
    if (typeof written === 'string') rules.set(key, { path: written, required: false })
    else {
      const { path, required, default: fallback } = written
      rules.set(
        key,
        fallback === undefined
          ? { path, required }
          : { path, required, fallback: writeTree(treeOf(fallback)) },
      )
    }
  }
  return rules.size === 0 ? undefined : new Mapping(rules)
}

/** @throws {SchemaError} */
export function compileInlineSchema(config: SchemaConfig): CompiledSchema | undefined {
  return config.schema === undefined ? undefined : compileTree(treeOf(config.schema), config)
}

type SchemaConfig = Pick<TransformConfig, 'schema' | 'coerce' | 'apply_defaults' | 'coerce_empty_as_null'>

function compileTree(tree: JsonTree, config: SchemaConfig): CompiledSchema {
  return compileSchema(tree, {
    coerce: config.coerce,
    applyDefaults: config.apply_defaults,
    emptyAsNull: config.coerce_empty_as_null,
  })
}

function readSchemaFile(file: string, config: SchemaConfig, path: string): CompiledSchema {
  const problem = (what: string, mend: string, cause: unknown): MqbError =>
    new MqbError({
      kind: 'config',
      code: 'MQB_TRANSFORM_SCHEMA',
      where: `${path}.schema_file`,
      what,
      mend,
      cause,
    })
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw problem(
      `the file of schema_file cannot be read: ${describeThrown(error)}`,
      'correct the path; a relative one counts from the working directory',
      error,
    )
  }
  try {
    const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    const tree = readTree(bytes, start)
    if (!(tree instanceof Map))
      throw new SchemaError([{ path: [], what: 'a schema is an object', mend: 'begin the file with {' }])
    return compileTree(tree, config)
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw problem(`${file} is ${error.message}`, 'correct it: a schema file holds one JSON object', error)
    if (!(error instanceof SchemaError)) throw error
    const [first] = error.problems
    const found = error.problems.map(({ path: at, what }) => `${pathText(at)} of ${file}: ${what}`)
    throw problem(found.join('; '), first?.mend ?? '', error)
  }
}
