import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import type { Model } from './model.ts'

/** A part that a package brings, in the form that the registry of core takes. */
interface KnownPart {
  readonly kind: 'endpoint' | 'middleware' | 'store'
  readonly name: string
  readonly package: string
  readonly schemes?: readonly string[]
}

/**
 * The list of plugins that come with the command, and the catalogue of all parts that exist in some package, so that a
 * missing one can be named in an error.
 */
export function catalogueSource(model: Model): string {
  const bundled = model.packages.map(each => {
    const { endpoints, middlewares, stores, schemes } = each.plugin
    const lists = { endpoints, middlewares, stores, schemes }
    const fields = Object.entries(lists).map(
      ([name, parts]) => `    ${name}: ${list(Object.keys(parts ?? {}))},`,
    )
    return [
      '  {',
      `    package: '${each.name}',`,
      ...fields,
      `    load: async () => (await import('${each.name}')).default,`,
      '  },',
    ].join('\n')
  })
  const known = knownParts(model).map(part => {
    const schemes = part.schemes === undefined ? '' : `, schemes: ${list(part.schemes)}`
    return `  { kind: '${part.kind}', name: '${part.name}', package: '${part.package}'${schemes} },`
  })
  return [
    '// Written by `pnpm docs:build` from the packages of the workspace and tooling/catalogue/known.json.',
    '',
    '/** The plugins that come with the command, each with the names that it brings. */',
    'export const bundledPlugins = [',
    ...bundled,
    '] as const',
    '',
    '/** Every part that some package brings, installed or not. */',
    'export const knownParts = [',
    ...known,
    '] as const',
    '',
  ].join('\n')
}

/** What the workspace has, and what is known beside it. */
export function knownParts(model: Model): KnownPart[] {
  const parts: KnownPart[] = model.packages.flatMap(each => {
    const { endpoints, middlewares, stores, schemes } = each.plugin
    return [
      ...Object.keys(endpoints ?? {}).map(name => {
        const own = Object.entries(schemes ?? {}).filter(([, scheme]) => scheme.endpoint === name)
        return part(
          'endpoint',
          name,
          each.name,
          own.map(([scheme]) => scheme),
        )
      }),
      ...Object.keys(middlewares ?? {}).map(name => part('middleware', name, each.name)),
      ...Object.keys(stores ?? {}).map(name => part('store', name, each.name)),
    ]
  })
  const here = new Set(model.packages.map(each => each.name))
  for (const known of readKnown()) {
    const same = parts.filter(each => each.kind === known.kind && each.name === known.name)
    if (same.some(each => each.package === known.package)) continue
    const elsewhere = same.find(each => here.has(each.package) && !here.has(known.package))
    if (elsewhere !== undefined && known.schemes === undefined) {
      throw new Error(
        `tooling/catalogue/known.json says that the ${known.kind} ${known.name} comes with ${known.package}, but ${elsewhere.package} has it: remove that line`,
      )
    }
    parts.push(known)
  }
  return parts.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function readKnown(): KnownPart[] {
  return JSON.parse(
    readFileSync(join(workspaceRoot, 'tooling', 'catalogue', 'known.json'), 'utf8'),
  ) as KnownPart[]
}

function part(
  kind: KnownPart['kind'],
  name: string,
  packageName: string,
  schemes: readonly string[] = [],
): KnownPart {
  return { kind, name, package: packageName, ...(schemes.length === 0 ? {} : { schemes }) }
}

const sortKey = (each: KnownPart) => `${each.kind} ${each.name} ${each.package}`

const list = (names: readonly string[]) => `[${names.map(name => `'${name}'`).join(', ')}]`
