import {
  type Capabilities,
  type Consumer,
  type EndpointPlan,
  type MiddlewarePlan,
  noCapabilities,
  type Opening,
  type Publisher,
} from '@mqb/core'

export interface TestPlanOptions {
  /** Where it stands in the configuration; default `test.<side>.scripted`. */
  readonly path?: string
  readonly capabilities?: Capabilities
  readonly middlewares?: readonly MiddlewarePlan[]
}

/** A plan whose `open` gives this publisher: what a middleware such as `dlq` gets for its nested endpoint. */
export function publisherPlan(
  publisher: Publisher | ((opening: Opening) => Publisher | Promise<Publisher>),
  options: TestPlanOptions = {},
): EndpointPlan<'output'> {
  const plan: EndpointPlan<'output'> = {
    ...planBase('output', options),
    definition: {
      ...definitionBase(options),
      openPublisher: async (_config, opening) =>
        typeof publisher === 'function' ? publisher(opening) : publisher,
    },
    open: opening => opening.openEndpoint(plan),
  }
  return plan
}

/** A plan whose `open` gives this consumer. */
export function consumerPlan(
  consumer: Consumer | ((opening: Opening) => Consumer | Promise<Consumer>),
  options: TestPlanOptions = {},
): EndpointPlan<'input'> {
  const plan: EndpointPlan<'input'> = {
    ...planBase('input', options),
    definition: {
      ...definitionBase(options),
      openConsumer: async (_config, opening) =>
        typeof consumer === 'function' ? consumer(opening) : consumer,
    },
    open: opening => opening.openEndpoint(plan),
  }
  return plan
}

function planBase<S extends 'input' | 'output'>(side: S, options: TestPlanOptions) {
  const capabilities = options.capabilities ?? noCapabilities
  return {
    side,
    kind: 'scripted',
    path: options.path ?? `test.${side}.scripted`,
    config: {},
    middlewares: options.middlewares ?? [],
    leafCapabilities: capabilities,
    capabilities,
    target: 'scripted',
    children: [],
  }
}

function definitionBase(options: TestPlanOptions) {
  return {
    summary: 'An endpoint made by a test.',
    config: { type: 'object' },
    examples: [],
    describe: () => 'scripted',
    capabilities: () => options.capabilities ?? noCapabilities,
  }
}
