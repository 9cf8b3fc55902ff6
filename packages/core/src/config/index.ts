export { endpoint, secret, type TlsConfig, template, tls } from './fields.ts'
export type { UriHint } from './meta.ts'
