import type { Registry } from '../registry/index.ts'

/** What to say about a part that a known package brings. `part` is `the endpoint kafka`. */
export function notInstalled(
  part: string,
  packageName: string,
  registry: Registry,
): { readonly code: string; readonly what: string; readonly mend: string } {
  const isThere = registry.plugins.some(plugin => plugin.name === packageName)
  return {
    code: 'MQB_CONFIG_NOT_INSTALLED',
    what: isThere
      ? `${part} comes with another version of the package ${packageName}`
      : `${part} comes with the package ${packageName}, which is not installed`,
    mend: `npm install ${packageName}${isThere ? '@latest' : ''}`,
  }
}
