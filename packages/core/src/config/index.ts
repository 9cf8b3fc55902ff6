export {
  createRegistry,
  type KnownPart,
  type NamedPublisher,
  type PartKind,
  type Registry,
  type RegistryOptions,
} from '../registry/index.ts'
export type { AppSettings } from './document/app-settings.ts'
export { endpoint, milliseconds, secret, type TlsConfig, template, tls } from './fields.ts'
export { configSchema } from './json-schema/config-schema.ts'
export {
  type ConfigSource,
  checkConfig,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  planConfig,
  readConfig,
} from './load.ts'
export type { UriHint } from './meta.ts'
export type { Environment } from './plan/context.ts'
export { walkPlans } from './plan/plan-node.ts'
export { type PrepareOptions, prepareRoute } from './plan/prepare.ts'
export { type PlanOptions, planEndpoint, planRoute, routeSecrets } from './plan/route.ts'
export type { NestedNeeds } from './planner-slot.ts'
export { assertUsable, ConfigError } from './problems.ts'
export { formatReport } from './report.ts'
export { parseUri, type UriOptions } from './uri/parse-uri.ts'
export { passwordsInUrl, redactUrl } from './uri/redact.ts'
export { secretsInUri } from './uri/variables.ts'
