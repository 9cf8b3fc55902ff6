import type { ErrorCodeTable } from './code-entry.ts'
import { configCodes } from './codes-config.ts'
import { customCodes } from './codes-custom.ts'
import { runtimeCodes } from './codes-runtime.ts'

/** Every code of this package. Other packages may use them too. */
export const errorCodes: ErrorCodeTable = { ...configCodes, ...runtimeCodes, ...customCodes }
