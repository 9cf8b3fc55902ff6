import { definePlugin } from '@mqb/core'
import { nullEndpoint } from './null.ts'
import { responseEndpoint } from './response.ts'
import { staticEndpoint } from './static/static.ts'
import { switchEndpoint } from './switch/switch.ts'

export { errorCodes } from './errors.ts'
export type { StaticConfig } from './static/config.ts'
export type { SwitchConfig } from './switch/config.ts'

declare module '@mqb/core' {
  interface EndpointConfigs {
    readonly null: null
    readonly response: Readonly<Record<string, never>>
  }
}

export default definePlugin({
  name: '@mqb/structural',
  endpoints: {
    null: nullEndpoint,
    response: responseEndpoint,
    static: staticEndpoint,
    switch: switchEndpoint,
  },
  schemes: {
    null: { endpoint: 'null' },
    response: { endpoint: 'response' },
    static: { endpoint: 'static' },
    switch: { endpoint: 'switch' },
  },
})
