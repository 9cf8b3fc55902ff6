import { fieldsOf, shapesOf, toZodSchema } from '../schema/walk.ts'
import { suggest } from '../suggest.ts'
import { readParameters, unknownParameter } from './build-config.ts'
import type { UriContext } from './parse-uri.ts'
import type { UriPart } from './split.ts'
import { missingPackage, uriError } from './usage.ts'

/** `name` or `name?key=value`; `-` equals `_` in names. */
export function parseMiddleware(part: UriPart, context: UriContext): Record<string, unknown> {
  const { registry, side, uri } = context
  const name = part.head.replaceAll('-', '_')
  const definition = registry.middleware(name) ?? registry.middleware(part.head)
  if (definition === undefined) throw unknownMiddleware(part.head, name, context)
  const wraps = side === 'input' ? definition.wrapConsumer : definition.wrapPublisher
  if (wraps === undefined) {
    const [here, there] = side === 'input' ? ['a source', 'the target'] : ['a target', 'the source']
    throw uriError(uri, `${name} does not work on ${here}`, `move it to ${there}`)
  }
  const schema = toZodSchema(definition.config)
  const fields = fieldsOf(schema)
  const shapes = shapesOf(schema)
  const takesBare = !shapes.has('map') || shapes.has('string')
  const [only] = part.parameters
  if (
    takesBare &&
    part.parameters.length === 1 &&
    !fields.has(only!.key) &&
    (only!.key === 'value' || only!.key === name)
  ) {
    return { [name]: only!.value }
  }
  const { config, unclaimed } = readParameters(part.parameters, fields, context)
  const [first] = unclaimed
  if (first !== undefined && takesBare && fields.size === 0)
    throw uriError(
      uri,
      `there is no parameter ${JSON.stringify(first.key)}`,
      `write the value of ${name} as ${part.head}?value=…`,
    )
  if (first !== undefined) throw unknownParameter(first, fields, context)
  return { [name]: config }
}

function unknownMiddleware(written: string, name: string, { registry, uri }: UriContext) {
  const packageName = registry.packageOf('middleware', name)
  if (packageName !== undefined) {
    return missingPackage(uri, `the middleware ${name}`, packageName, registry)
  }
  const known = registry.known.filter(part => part.kind === 'middleware').map(part => part.name)
  const meant = suggest(name, [...registry.names('middleware'), ...known])
  return uriError(
    uri,
    `there is no middleware ${JSON.stringify(written)}`,
    meant === undefined ? 'write %7C for a "|" that does not begin a middleware' : `did you mean ${meant}?`,
  )
}
