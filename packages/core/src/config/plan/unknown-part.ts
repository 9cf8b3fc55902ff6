import { notInstalled } from '../not-installed.ts'
import { suggest } from '../suggest.ts'
import type { Cursor } from '../tree/cursor.ts'
import type { PlanContext } from './context.ts'

/** An endpoint or middleware that is not there: its package is not installed, it is misspelt, or it is unknown. */
export function reportUnknownPart(
  kind: 'endpoint' | 'middleware',
  name: string,
  cursor: Cursor,
  context: PlanContext,
): void {
  const { registry, findings } = context
  const packageName = registry.packageOf(kind, name)
  if (packageName !== undefined) {
    findings.error(cursor, { ...notInstalled(`the ${kind} ${name}`, packageName, registry), atKey: true })
    return
  }
  findings.error(cursor, {
    code: kind === 'endpoint' ? 'MQB_CONFIG_UNKNOWN_ENDPOINT' : 'MQB_CONFIG_UNKNOWN_MIDDLEWARE',
    what: `there is no ${kind} ${JSON.stringify(name)}`,
    mend: unknownPartMend(kind, name, context),
    atKey: true,
  })
}

function unknownPartMend(kind: 'endpoint' | 'middleware', name: string, { registry }: PlanContext): string {
  const known = registry.known.filter(part => part.kind === kind).map(part => part.name)
  const meant = suggest(name, [...registry.names(kind), ...known])
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`
  const other = kind === 'endpoint' ? 'middleware' : 'endpoint'
  if (registry.names(other).includes(name)) {
    return other === 'middleware'
      ? `${name} is a middleware: put it into the list "middlewares" of an endpoint`
      : `${name} is an endpoint: it cannot stand in a list of middlewares`
  }
  return `if a package brings it, install and register that: npm install @mqb/${name.replaceAll('_', '-')}`
}
