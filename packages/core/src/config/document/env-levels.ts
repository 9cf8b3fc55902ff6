import type { Side } from '../../contract/capabilities.ts'
import type { Registry } from '../../registry/index.ts'
import type { PathPart } from '../path.ts'
import { routeOptionsSchema } from '../route-options.ts'
import { fieldsOf, isOpenMap, metaOf, type Schema, schemaOfEntry, toZodSchema } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import { appSettingsSchema } from './app-settings.ts'

/** What can follow at a place of the configuration. */
export type Level =
  | { readonly kind: 'root' | 'routes' | 'route' | 'publishers' | 'consumers' }
  | { readonly kind: 'endpoint'; readonly side: Side }
  | { readonly kind: 'custom' | 'list' }
  | { readonly kind: 'schema'; readonly schema: Schema }
  | { readonly kind: 'free' }

export interface Candidate {
  readonly name: string
  readonly path: readonly PathPart[]
  readonly level: Level
}

/** What may be named next at a place of the configuration: `value` is what is written there. */
export function candidatesAt(level: Level, value: unknown, root: Cursor, registry: Registry): Candidate[] {
  const written = isMap(value) ? Object.keys(value) : []
  switch (level.kind) {
    case 'root':
      return [
        ...Object.entries(appSettingsSchema.shape).map(([name, schema]) =>
          entry(name, { kind: 'schema', schema }),
        ),
        entry('routes', { kind: 'routes' }),
        entry('publishers', { kind: 'publishers' }),
        entry('consumers', { kind: 'consumers' }),
        ...[...root.child('routes').children()].map((route): Candidate => {
          const name = String(route.path.at(-1))
          return { name, path: ['routes', name], level: { kind: 'route' } }
        }),
      ]
    case 'routes':
      return written.map(name => entry(name, { kind: 'route' }))
    case 'route':
      return [
        entry('input', { kind: 'endpoint', side: 'input' }),
        entry('output', { kind: 'endpoint', side: 'output' }),
        ...Object.entries(routeOptionsSchema.shape).map(([name, schema]) =>
          entry(name, { kind: 'schema', schema }),
        ),
      ]
    case 'publishers':
    case 'consumers':
      return listed(level.kind, value, written)
    case 'endpoint':
      return endpointKeys(written, registry)
    case 'custom':
      return [entry('name', { kind: 'free' }), entry('config', { kind: 'free' })]
    case 'schema':
      return [
        ...[...fieldsOf(level.schema)].map(([name, schema]) => entry(name, levelOf(schema))),
        ...(isOpenMap(level.schema) ? written.map(name => entry(name, entryLevel(level))) : []),
      ]
    case 'free':
      return written.map(name => entry(name, { kind: 'free' }))
    case 'list':
      return []
  }
}

function endpointKeys(written: readonly string[], registry: Registry): Candidate[] {
  const names = new Set([...written, ...registry.names('endpoint')])
  names.delete('middlewares')
  return [
    entry('middlewares', { kind: 'list' }),
    entry('ref', { kind: 'free' }),
    entry('custom', { kind: 'custom' }),
    ...[...names].flatMap((name): Candidate[] => {
      const definition = registry.endpoint(name)
      if (name === 'ref' || name === 'custom') return []
      return [
        entry(
          name,
          definition === undefined
            ? { kind: 'free' }
            : { kind: 'schema', schema: toZodSchema(definition.config) },
        ),
      ]
    }),
  ]
}

/** Entries of a list of named things are addressed by their id or name. */
function listed(kind: 'publishers' | 'consumers', value: unknown, written: readonly string[]): Candidate[] {
  const side = kind === 'publishers' ? 'output' : 'input'
  if (isMap(value)) return written.map(name => entry(name, { kind: 'endpoint', side }))
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown, index): Candidate[] =>
    isMap(item)
      ? [item.id, item.name]
          .filter(name => typeof name === 'string' && name !== '')
          .map(name => ({
            name: name as string,
            path: [index, 'endpoint'],
            level: { kind: 'endpoint', side },
          }))
      : [],
  )
}

function entry(name: string, level: Level): Candidate {
  return { name, path: [name], level }
}

function levelOf(schema: Schema): Level {
  const side = metaOf(schema).endpoint
  return side === undefined ? { kind: 'schema', schema } : { kind: 'endpoint', side }
}

export function isOpen(level: Level): boolean {
  return level.kind === 'free' || (level.kind === 'schema' && isOpenMap(level.schema))
}

export function entryLevel(level: Level): Level {
  if (level.kind !== 'schema') return { kind: 'free' }
  const schema = schemaOfEntry(level.schema, '')
  return schema === undefined ? { kind: 'free' } : levelOf(schema)
}
