import type { EndpointPlan } from '@mqb/core'
import type { SwitchConfig } from './config.ts'

/** One destination of a switch. */
export interface Branch {
  /** Where it stands in the configuration of the switch: `when[0].to`, `cases.200`, `default`. */
  readonly name: string
  readonly plan: EndpointPlan<'output'>
}

/** The destinations in the order of the configuration, `default` last. */
export function branchesOf({ cases, when, default: fallback }: SwitchConfig): readonly Branch[] {
  return [
    ...Object.entries(cases ?? {}).map(([value, plan]) => ({ name: `cases.${value}`, plan })),
    ...(when ?? []).map(({ to }, index) => ({ name: `when[${index}].to`, plan: to })),
    ...(fallback === undefined ? [] : [{ name: 'default', plan: fallback }]),
  ]
}
