import { readFileSync } from 'node:fs'

/** Of this package, as in its manifest. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version
