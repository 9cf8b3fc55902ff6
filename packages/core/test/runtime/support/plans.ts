import {
  type Capabilities,
  type Consumer,
  defineEndpoint,
  defineMiddleware,
  type EndpointPlan,
  type MiddlewareDefinition,
  type MiddlewarePlan,
  noCapabilities,
  type Opening,
  type Publisher,
  type RouteOptions,
  type RoutePlan,
} from '@mqb/core'

export interface EndParts<T> {
  readonly open: (opening: Opening) => T | Promise<T>
  readonly capabilities?: Partial<Capabilities>
  readonly middlewares?: readonly MiddlewarePlan[]
  readonly structural?: boolean
  readonly children?: readonly EndpointPlan[]
  readonly path?: string
}

const base = { summary: 'A test endpoint.', config: { type: 'object' }, examples: [], describe: () => 'test' }

export function inputPlan(parts: EndParts<Consumer>): EndpointPlan<'input'> {
  const capabilities: Capabilities = { ...noCapabilities, acks: true, ...parts.capabilities }
  const plan: EndpointPlan<'input'> = {
    ...common('input', parts, capabilities),
    definition: defineEndpoint<unknown>({
      ...base,
      ...(parts.structural === undefined ? {} : { structural: parts.structural }),
      capabilities: () => capabilities,
      openConsumer: async (_config, opening) => parts.open(opening),
    }),
    open: opening => opening.openEndpoint(plan),
  }
  return plan
}

export function outputPlan(parts: EndParts<Publisher>): EndpointPlan<'output'> {
  const capabilities: Capabilities = { ...noCapabilities, acks: true, ...parts.capabilities }
  const plan: EndpointPlan<'output'> = {
    ...common('output', parts, capabilities),
    definition: defineEndpoint<unknown>({
      ...base,
      ...(parts.structural === undefined ? {} : { structural: parts.structural }),
      capabilities: () => capabilities,
      openPublisher: async (_config, opening) => parts.open(opening),
    }),
    open: opening => opening.openEndpoint(plan),
  }
  return plan
}

function common<S extends 'input' | 'output', T>(side: S, parts: EndParts<T>, leaf: Capabilities) {
  let capabilities = leaf
  for (const { definition, config } of parts.middlewares ?? [])
    capabilities = definition.changes?.(capabilities, config, { side, concurrency: 1 }) ?? capabilities
  return {
    side,
    kind: 'test',
    path: parts.path ?? `r.${side}.test`,
    config: {},
    middlewares: parts.middlewares ?? [],
    leafCapabilities: leaf,
    capabilities,
    target: `test ${side}`,
    children: parts.children ?? [],
  }
}

export function middleware(
  kind: string,
  parts: Pick<MiddlewareDefinition, 'wrapConsumer' | 'wrapPublisher' | 'changes'>,
): MiddlewarePlan {
  return {
    kind,
    path: `r.middlewares.${kind}`,
    config: {},
    definition: defineMiddleware<unknown>({
      summary: 'A test middleware.',
      config: { type: 'object' },
      examples: [],
      ...parts,
    }),
  }
}

export const defaultOptions: RouteOptions = {
  description: '',
  enabled: true,
  concurrency: 1,
  batch_size: 10,
  commit_concurrency_limit: 4096,
  startup_timeout_ms: 5000,
  reconnect_interval_ms: 5000,
  empty_batch_delay_ms: 10,
  exit_on_empty: false,
  allow_fault_injection: false,
}

export function routePlan(
  input: EndpointPlan<'input'>,
  output: EndpointPlan<'output'>,
  options: Partial<RouteOptions> = {},
): RoutePlan {
  return { name: 'r', input, output, options: { ...defaultOptions, ...options }, warnings: [] }
}
