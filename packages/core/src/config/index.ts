export {
  createRegistry,
  type KnownPart,
  type NamedPublisher,
  type PartKind,
  type Registry,
  type RegistryOptions,
} from '../registry/index.ts'
export { endpoint, secret, type TlsConfig, template, tls } from './fields.ts'
export type { UriHint } from './meta.ts'
