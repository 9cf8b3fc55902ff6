import type { EndpointDefinition, MiddlewareDefinition, Side, StoreProvider } from '@mqb/core'
import { type PluginPackage, workspacePlugins } from '../workspace/plugins.ts'
import { ExamplePlanner } from './examples.ts'

/** One endpoint, middleware or store, with the package that brings it. */
export interface Component<D> {
  /** Configuration key, or URL scheme of a store. */
  readonly name: string
  readonly definition: D
  readonly package: PluginPackage
}

/** Everything that pages are made of. */
export interface Model {
  readonly packages: readonly PluginPackage[]
  readonly planner: ExamplePlanner
  readonly endpoints: readonly Component<EndpointDefinition>[]
  readonly middlewares: readonly Component<MiddlewareDefinition>[]
  readonly stores: readonly Component<StoreProvider>[]
}

export async function readModel(): Promise<Model> {
  const packages = await workspacePlugins()
  return {
    packages,
    planner: new ExamplePlanner(packages),
    endpoints: components(packages, each => each.plugin.endpoints),
    middlewares: components(packages, each => each.plugin.middlewares),
    stores: components(packages, each => each.plugin.stores),
  }
}

/** The URI schemes that lead to an endpoint. */
export function schemesOf({ package: { plugin }, name }: Component<EndpointDefinition>): string[] {
  return Object.entries(plugin.schemes ?? {})
    .filter(([, scheme]) => scheme.endpoint === name)
    .map(([scheme]) => scheme)
}

/** A scheme as it begins a URI; standard streams are a bare `-`. */
export function schemeText(scheme: string): string {
  return scheme === '-' ? scheme : `${scheme}:`
}

/** The sides that a component serves. */
export function sidesOf(definition: EndpointDefinition | MiddlewareDefinition): Side[] {
  const members = definition as Partial<EndpointDefinition & MiddlewareDefinition>
  const sides: Side[] = []
  if (members.openConsumer !== undefined || members.wrapConsumer !== undefined) sides.push('input')
  if (members.openPublisher !== undefined || members.wrapPublisher !== undefined) sides.push('output')
  return sides
}

function components<D>(
  packages: readonly PluginPackage[],
  pick: (each: PluginPackage) => Readonly<Record<string, D>> | undefined,
): Component<D>[] {
  return packages
    .flatMap(each =>
      Object.entries(pick(each) ?? {}).map(([name, definition]) => ({ name, definition, package: each })),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
