import { createRequire } from 'node:module'

const { version: own } = createRequire(import.meta.url)('@mqb/core/package.json') as { version: string }

/** The version of `@mqb/core`. */
export const version: string = own
