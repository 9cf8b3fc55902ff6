import { definePlugin } from '@mqb/core'
import { createFileEndpoint } from './endpoint.ts'
import { deriveFromUri } from './uri.ts'

export { type FileConfig, fileConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/file',
  endpoints: { file: createFileEndpoint() },
  schemes: {
    file: { endpoint: 'file', derive: deriveFromUri },
    '-': { endpoint: 'file', derive: deriveFromUri },
  },
})
