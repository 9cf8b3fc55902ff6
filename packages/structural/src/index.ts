import { definePlugin } from '@mqb/core'
import { nullEndpoint } from './null.ts'
import { responseEndpoint } from './response.ts'
import { staticEndpoint } from './static/static.ts'

export type { StaticConfig } from './static/config.ts'

export default definePlugin({
  name: '@mqb/structural',
  endpoints: { null: nullEndpoint, response: responseEndpoint, static: staticEndpoint },
  schemes: {
    null: { endpoint: 'null' },
    response: { endpoint: 'response' },
    static: { endpoint: 'static' },
  },
})
