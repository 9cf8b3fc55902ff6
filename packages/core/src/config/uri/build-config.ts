import type { SchemeDefinition } from '../../contract/plugin.ts'
import { readLiteral } from '../schema/read-literal.ts'
import { fieldsOf, metaOf, type Schema, shapesOf } from '../schema/walk.ts'
import { suggestionText } from '../suggest.ts'
import { writeEntry } from '../tree/origins.ts'
import { filePath } from './file-path.ts'
import type { UriContext } from './parse-uri.ts'
import { decodePart, type Parameter, type UriPart } from './split.ts'
import { uriError } from './usage.ts'

export interface BuildParts {
  readonly scheme: string
  /** Between the colon and the parameters, as written. */
  readonly rest: string
  readonly part: UriPart
  readonly definition: SchemeDefinition
  readonly schema: Schema
  readonly context: UriContext
}

/** The configuration of an endpoint from its URI, by the hints of its fields, and the path in it. */
export function buildConfig(parts: BuildParts): { config: Record<string, unknown>; path: string } {
  const fields = fieldsOf(parts.schema)
  const urlField = fieldWithHint(fields, 'url')
  const { config, unclaimed } = readParameters(parts.part.parameters, fields, parts.context)
  const whole = urlField === undefined ? undefined : takeWholeUrl(config, unclaimed, urlField, parts)
  if (whole === undefined) addAddress(config, unclaimed, urlField, fields, parts)
  if (unclaimed.length > 0) throw unknownParameter(unclaimed[0]!, fields, parts.context)
  const pathField = fieldWithHint(fields, 'path')
  const path = pathField === undefined ? undefined : config[pathField]
  return { config, path: typeof path === 'string' ? path : decodePart(parts.rest, parts.context.uri) }
}

/** Sorts parameters into those of fields, typed, and the rest. */
export function readParameters(
  parameters: readonly Parameter[],
  fields: ReadonlyMap<string, Schema>,
  context: UriContext,
): { config: Record<string, unknown>; unclaimed: Parameter[] } {
  const config: Record<string, unknown> = {}
  const unclaimed: Parameter[] = []
  for (const parameter of parameters) {
    const name = fields.has(parameter.key) ? parameter.key : parameter.key.replaceAll('-', '_')
    const field = fields.get(name)
    if (field === undefined || !fits(field, parameter.value)) {
      unclaimed.push(parameter)
      continue
    }
    if (Object.hasOwn(config, name)) {
      throw uriError(context.uri, `the parameter ${name} is given twice`, 'keep one of them')
    }
    writeEntry(config, name, readValue(field, parameter, context))
  }
  return { config, unclaimed }
}

/** A map or list is written as JSON: anything else under that name is meant for the driver (`?tls=true`). */
function fits(field: Schema, value: string): boolean {
  if (metaOf(field).endpoint !== undefined) return true
  const shapes = shapesOf(field)
  const isCompound = shapes.has('map') || shapes.has('list')
  const takesScalar = ['string', 'number', 'boolean', 'any'].some(shape => shapes.has(shape as 'any'))
  return !isCompound || takesScalar || /^\s*[[{]/.test(value)
}

function readValue(field: Schema, { key, value }: Parameter, context: UriContext): unknown {
  const side = metaOf(field).endpoint
  if (side !== undefined && !value.startsWith('{')) return context.nested(value, side)
  const literal = readLiteral(field, value)
  if (literal === undefined) {
    throw uriError(
      context.uri,
      `the parameter ${key} begins like JSON, but is none`,
      `correct it, for example: ${key}={"name":"value"}`,
    )
  }
  const shapes = shapesOf(field)
  if (typeof literal.value === 'string' && !shapes.has('string') && !shapes.has('any')) {
    const wanted = shapes.has('boolean')
      ? 'true or false'
      : shapes.has('number')
        ? 'a number'
        : 'another value'
    throw uriError(
      context.uri,
      `the parameter ${key} is ${wanted}`,
      `write it as ${key}=${shapes.has('boolean') ? 'true' : '10'}`,
    )
  }
  return literal.value
}

function fieldWithHint(fields: ReadonlyMap<string, Schema>, hint: string): string | undefined {
  for (const [name, field] of fields) if (metaOf(field).uri === hint) return name
  return undefined
}

/** `?url=` is the whole connection string; nothing else may then belong to it. */
function takeWholeUrl(
  config: Record<string, unknown>,
  unclaimed: Parameter[],
  urlField: string,
  { rest, part, context }: BuildParts,
): string | undefined {
  const index = unclaimed.findIndex(parameter => parameter.key === 'url')
  const given = index >= 0 ? unclaimed.splice(index, 1)[0]!.value : config.url
  const isGiven = part.parameters.some(parameter => parameter.key === 'url')
  if (!isGiven || typeof given !== 'string') return undefined
  if (rest.replaceAll('/', '') !== '') {
    throw uriError(
      context.uri,
      'there are two addresses: one in the URI, one in the parameter url',
      'keep one of them',
    )
  }
  if (index >= 0) config[urlField] = given
  return given
}

function addAddress(
  config: Record<string, unknown>,
  unclaimed: Parameter[],
  urlField: string | undefined,
  fields: ReadonlyMap<string, Schema>,
  parts: BuildParts,
): void {
  const { scheme, rest, definition, context } = parts
  if (urlField !== undefined) {
    const options =
      definition.strictParameters === true ? [] : unclaimed.splice(0).map(parameter => parameter.written)
    const query = options.length === 0 ? '' : `?${options.join('&')}`
    if (!Object.hasOwn(config, urlField))
      config[urlField] = `${definition.rewriteTo ?? scheme}:${rest}${query}`
    return
  }
  const originField = fieldWithHint(fields, 'origin')
  const pathField = fieldWithHint(fields, 'path')
  if (originField === undefined && (scheme === 'file' || scheme === '-' || definition.localPath === true)) {
    if (pathField !== undefined && !Object.hasOwn(config, pathField))
      config[pathField] = filePath(scheme, rest, context.uri)
    return
  }
  const [, authority = '', path = ''] = /^(?:\/\/([^/]*))?(.*)$/s.exec(rest) ?? []
  if (originField !== undefined && authority !== '' && !Object.hasOwn(config, originField)) {
    const to = definition.rewriteTo ?? scheme
    config[originField] = to === '' ? authority : `${to}://${authority}`
  }
  // Without a field for the authority it is the first part of the path: memory://orders/new.
  const whole = originField === undefined ? `${authority}${path}` : path
  const decoded = decodePart(whole.replace(/^\//, ''), context.uri)
  if (decoded === '') return
  if (pathField === undefined) {
    throw uriError(
      context.uri,
      `the scheme ${scheme} takes no path`,
      'remove it, and use parameters: ?name=value',
    )
  }
  if (!Object.hasOwn(config, pathField)) config[pathField] = decoded
}

export function unknownParameter(
  { key }: Parameter,
  fields: ReadonlyMap<string, Schema>,
  context: UriContext,
) {
  const field = fields.get(key) ?? fields.get(key.replaceAll('-', '_'))
  if (field !== undefined) {
    return uriError(
      context.uri,
      `the parameter ${key} is a ${shapesOf(field).has('list') ? 'list' : 'map'}`,
      `write it as JSON: ${key}=${shapesOf(field).has('list') ? '["a","b"]' : '{"name":"value"}'}`,
    )
  }
  return uriError(
    context.uri,
    `there is no parameter ${JSON.stringify(key)}`,
    suggestionText(key, [...fields.keys()], 'parameters'),
  )
}
