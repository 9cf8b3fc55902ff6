import { readLiteral } from '../schema/read-literal.ts'
import { fieldsOf, metaOf, toZodSchema } from '../schema/walk.ts'
import { writeEntry } from '../tree/origins.ts'
import { readParameters, unknownParameter } from './build-config.ts'
import type { UriContext } from './parse-uri.ts'
import { decodePart, type UriPart } from './split.ts'

/** `name:…` and `name+part:…` for an endpoint registered under that name, without a scheme of its own. */
export function customConfig(
  written: string,
  rest: string,
  part: UriPart,
  context: UriContext,
): Record<string, unknown> | undefined {
  const plus = written.indexOf('+')
  const [name, subscheme] =
    plus < 0 ? [written, undefined] : [written.slice(0, plus), written.slice(plus + 1)]
  const known = [name, name.replaceAll('-', '_')].find(one => context.registry.endpoint(one) !== undefined)
  if (known === undefined) return undefined
  const definition = context.registry.endpoint(known)!
  const root = toZodSchema(definition.config)
  const fields = fieldsOf(root)
  const address = `${written}:${rest}`
  if (fields.size === 0) {
    const config: Record<string, unknown> = { url: address }
    for (const { key, value } of part.parameters) writeEntry(config, key, value)
    return { [known]: config }
  }
  const { config, unclaimed } = readParameters(part.parameters, fields, context)
  const path = rest.replace(/^\/\/[^/]*/, '').replace(/^\//, '')
  for (const [field, schema] of fields) {
    if (Object.hasOwn(config, field)) continue
    const hint = metaOf(schema).uri
    if (hint === 'url') {
      const options = unclaimed.splice(0).map(parameter => parameter.written)
      config[field] = `${subscheme ?? written}:${rest}${options.length === 0 ? '' : `?${options.join('&')}`}`
    } else if (hint === 'origin') {
      const authority = /^\/\/([^/]*)/.exec(rest)?.[1]
      if (authority !== undefined) config[field] = `${subscheme ?? written}://${authority}`
    } else if (hint === 'subscheme' && subscheme !== undefined) config[field] = subscheme
    else if (hint === 'path' && path !== '') config[field] = decodePart(path, context.uri)
  }
  if (metaOf(root)['x-mqb-uri-infer-scalars'] === true) {
    for (const { key, value } of unclaimed.splice(0))
      writeEntry(config, key, readLiteral(undefined, value)?.value ?? value)
  }
  if (unclaimed.length > 0) throw unknownParameter(unclaimed[0]!, fields, context)
  return { [known]: config }
}
