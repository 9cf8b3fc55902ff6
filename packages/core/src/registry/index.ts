export type { KnownPart, PartKind } from './catalogue.ts'
export { createRegistry, type NamedPublisher, type Registry, type RegistryOptions } from './registry.ts'
