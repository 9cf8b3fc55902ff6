import type { Side } from '../../contract/capabilities.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import type { Registry } from '../../registry/index.ts'
import { type Environment, maxNesting } from '../plan/context.ts'
import { toZodSchema } from '../schema/walk.ts'
import { suggest } from '../suggest.ts'
import { buildConfig } from './build-config.ts'
import { customConfig } from './custom-endpoint.ts'
import { parseMiddleware } from './middleware.ts'
import { splitUri, type UriPart } from './split.ts'
import { parseStructural, structuralSchemes } from './structural.ts'
import { missingPackage, uriError } from './usage.ts'
import { expandUriVariables } from './variables.ts'

export interface UriOptions {
  readonly side: Side
  readonly registry: Registry
  /** Variables for `$NAME`. Default: the environment of the process. */
  readonly env?: Environment
  /** Folder of relative paths in `body_file`. Default: the working directory. */
  readonly cwd?: string
}

/** What the parts of a URI are read with. */
export interface UriContext {
  readonly side: Side
  readonly registry: Registry
  readonly cwd: string
  /** The whole URI, for messages. */
  readonly uri: string
  /** Parses a nested URI of that side. */
  nested(text: string, side: Side): unknown
}

/**
 * Turns `scheme:…?name=value|middleware?name=value` into an endpoint as it stands in a configuration, for `planRoute`.
 * Values are typed by the schemas of the registered plugins.
 *
 * @throws {MqbError} kind `config`: `MQB_URI_INVALID`, `MQB_URI_UNSET_VARIABLE`, `MQB_CONFIG_NOT_INSTALLED`. Its text holds
 *   no password.
 */
export function parseUri(uri: string, options: UriOptions): unknown {
  const expanded = expandUriVariables(uri, options.env ?? process.env)
  return parseExpanded(expanded, options.side, options, uri, 0)
}

function parseExpanded(text: string, side: Side, options: UriOptions, uri: string, depth: number): unknown {
  if (depth > maxNesting)
    throw uriError(uri, `URIs are nested deeper than ${maxNesting} levels`, 'use a configuration file')
  const { registry, cwd = process.cwd() } = options
  const context: UriContext = {
    side,
    registry,
    cwd,
    uri,
    nested: (inner, innerSide) => parseExpanded(inner, innerSide, options, uri, depth + 1),
  }
  const [endpoint, ...middlewares] = splitUri(text)
  const raw = parseEndpoint(endpoint!, context)
  if (middlewares.length === 0) return raw
  return { ...raw, middlewares: middlewares.map(part => parseMiddleware(part, context)) }
}

function parseEndpoint(part: UriPart, context: UriContext): Record<string, unknown> {
  const { registry } = context
  if (part.head === '-') return plugged('-', '-', part, context)
  const [, written, rest] = /^([A-Za-z][A-Za-z0-9+._-]*):(.*)$/s.exec(part.head) ?? []
  if (written === undefined || rest === undefined) throw noScheme(part, context)
  const scheme = written.toLowerCase()
  if (registry.scheme(scheme) !== undefined && !structuralSchemes.has(scheme))
    return plugged(scheme, rest, part, context)
  if (structuralSchemes.has(scheme)) return parseStructural(scheme, rest, part, context)
  const custom = customConfig(written, rest, part, context)
  if (custom !== undefined) return custom
  throw unknownScheme(scheme, context)
}

function plugged(scheme: string, rest: string, part: UriPart, context: UriContext): Record<string, unknown> {
  const definition = context.registry.scheme(scheme)
  if (definition === undefined) throw unknownScheme(scheme, context)
  const endpoint = context.registry.endpoint(definition.endpoint)
  if (endpoint === undefined) throw unknownScheme(scheme, context)
  const schema = toZodSchema(endpoint.config)
  const { config, path } = buildConfig({ scheme, rest, part, definition, schema, context })
  const parameters = Object.fromEntries(part.parameters.map(({ key, value }) => [key, value]))
  const derived = definition.derive?.({ path, parameters, side: context.side })
  return { [definition.endpoint]: { ...definition.defaults, ...derived, ...config } }
}

function noScheme(part: UriPart, { uri, registry }: UriContext): MqbError {
  const looksLikeFile = /^[./~]|\.[A-Za-z0-9]+$|^[A-Za-z]:\\/.test(part.head)
  if (registry.names('scheme').includes(part.head) || structuralSchemes.has(part.head)) {
    return uriError(
      uri,
      `${JSON.stringify(part.head)} is a scheme, but the colon behind it is missing`,
      `write ${part.head}:`,
    )
  }
  return uriError(
    uri,
    'this is no URI: it does not begin with a scheme and a colon',
    looksLikeFile
      ? `for a file write file:${part.head}`
      : 'write for example file:orders.csv, or - for standard input and output',
  )
}

function unknownScheme(scheme: string, { uri, registry }: UriContext): MqbError {
  const packageName = registry.packageOf('scheme', scheme)
  if (packageName !== undefined) {
    return missingPackage(uri, `the scheme ${scheme}`, packageName, registry)
  }
  const known = registry.known.flatMap(part => part.schemes ?? [])
  const meant = suggest(scheme, [...registry.names('scheme'), ...known, ...structuralSchemes])
  return uriError(
    uri,
    `there is no scheme ${JSON.stringify(scheme)}`,
    meant === undefined ? `known schemes: ${registry.names('scheme').join(', ')}` : `did you mean ${meant}:?`,
  )
}
