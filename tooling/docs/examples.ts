import {
  type Capabilities,
  defineEndpoint,
  definePlugin,
  type EndpointExample,
  type EndpointPlan,
  MqbError,
} from '@mqb/core'
import { createRegistry, planEndpoint, type Registry } from '@mqb/core/config'
import type { PluginPackage } from '../workspace/plugins.ts'

/** Plans the examples of definitions exactly as a configuration would be planned, and opens nothing. */
export class ExamplePlanner {
  readonly #registry: Registry

  constructor(packages: readonly PluginPackage[]) {
    this.#registry = createRegistry({ plugins: [...packages.map(each => each.plugin), ideal] })
  }

  /** What an endpoint promises in an example. */
  endpoint(name: string, example: EndpointExample): Capabilities {
    return this.#plan(name, example, { [name]: example.config }).leafCapabilities
  }

  /** What an endpoint that promises everything still promises behind a middleware. */
  middleware(name: string, example: EndpointExample): { before: Capabilities; after: Capabilities } {
    const raw = { [idealName]: {}, middlewares: [{ [name]: example.config }] }
    const plan = this.#plan(name, example, raw)
    return { before: plan.leafCapabilities, after: plan.capabilities }
  }

  #plan(name: string, { title, side }: EndpointExample, raw: unknown): EndpointPlan {
    try {
      return planEndpoint(raw, side, this.#registry, { env: everyVariable, route: 'example' })
    } catch (error) {
      const text = MqbError.is(error) ? error.message : String(error)
      throw new Error(`the example "${title}" of ${name} is no valid configuration:\n${text}`)
    }
  }
}

/** Examples may name variables; each has a value here. */
const everyVariable: Readonly<Record<string, string>> = new Proxy({}, { get: () => 'example' })

const idealName = 'ideal'

const everything: Capabilities = {
  acks: true,
  commitOrder: 'ordered',
  replies: 'yes',
  orderedPublish: 'pipelined',
  position: { keys: ['mqb.src.position'], replayable: true },
  stableId: true,
  keepsAll: true,
  pins: true,
  idempotent: 'by_id',
  needsPosition: true,
  maxPayloadBytes: null,
  lacks: [],
  tls: true,
}

const neverOpened = async (): Promise<never> => {
  throw new TypeError('the endpoint of the examples cannot be opened')
}

const ideal = definePlugin({
  name: 'docs',
  endpoints: {
    [idealName]: defineEndpoint({
      summary: 'Promises everything: what a middleware takes away shows best on it.',
      config: { type: 'object' },
      examples: [],
      describe: () => idealName,
      capabilities: () => everything,
      openConsumer: neverOpened,
      openPublisher: neverOpened,
    }),
  },
})
