import type { Plugin } from '@mqb/core'
import { bundledPlugins } from '../catalogue.generated.ts'

/** Everything that comes with the command. */
export function loadBundledPlugins(): Promise<readonly Plugin[]> {
  return Promise.all(bundledPlugins.map(({ load }) => load()))
}
