import type { Consumer } from '../contract/consumer.ts'
import type { Publisher } from '../contract/publisher.ts'
import { MqbError } from '../errors/mqb-error.ts'
import { toMqbError } from '../errors/normalize.ts'
import type { EndpointPlan } from '../plan/plan.ts'
import { Accounting } from './accounting.ts'
import type { RouteOpening } from './opening.ts'
import { closeWithin } from './shell/close-within.ts'
import { ConsumerShell } from './shell/consumer-shell.ts'
import { guardPublisher } from './shell/guard-publisher.ts'
import { checkedConsumer, checkedPublisher } from './shell/plugin-values.ts'
import { PublisherShell } from './shell/publisher-shell.ts'
import { SerialPublisher } from './shell/serial-publisher.ts'

/** Builds an input: its leaf in a shell, then the middlewares so that the first of the list is outermost. */
export async function openConsumerChain(
  plan: EndpointPlan<'input'>,
  parent: RouteOpening,
): Promise<Consumer> {
  if (plan.definition.openConsumer === undefined) throw wrongSide(plan)
  const opening = parent.at(plan.path, 'input')
  let consumer: Consumer = isComposite(plan)
    ? checkedConsumer(
        await building(plan.path, () => plan.definition.openConsumer!(plan.config, opening)),
        plan.path,
      )
    : new ConsumerShell({
        ...opening.setup.shells,
        plan,
        opening,
        counters: opening.setup.counters.at(plan.path),
        accounting: opening.place.feedsRoute ? opening.setup.accounting : new Accounting(),
      })
  try {
    for (const middleware of plan.middlewares.toReversed()) {
      const { definition, config, path } = middleware
      if (definition.wrapConsumer === undefined) throw wrongSide({ ...middleware, side: 'input' })
      const inner = consumer
      consumer = checkedConsumer(
        await building(path, () => definition.wrapConsumer!(inner, config, parent.at(path, 'input'))),
        path,
      )
    }
    return consumer
  } catch (thrown) {
    await abandonChain(consumer, opening)
    throw thrown
  }
}

/**
 * Builds an output: its leaf in a shell, then the middlewares so that the last of the list is outermost.
 *
 * @param concurrency how many sends its owner lets overlap.
 */
export async function openPublisherChain(
  plan: EndpointPlan<'output'>,
  parent: RouteOpening,
  concurrency: number = Number.POSITIVE_INFINITY,
): Promise<Publisher> {
  if (plan.definition.openPublisher === undefined) throw wrongSide(plan)
  const opening = parent.at(plan.path, 'output')
  let publisher: Publisher = isComposite(plan)
    ? guardPublisher(
        checkedPublisher(
          await building(plan.path, () => plan.definition.openPublisher!(plan.config, opening)),
          plan.path,
        ),
        plan.path,
      )
    : new PublisherShell({
        ...opening.setup.shells,
        plan,
        opening,
        counters: opening.setup.counters.at(plan.path),
      })
  const gateAt = positionOfGate(plan, concurrency)
  try {
    for (const [index, middleware] of plan.middlewares.entries()) {
      const { definition, config, path } = middleware
      if (definition.wrapPublisher === undefined) throw wrongSide({ ...middleware, side: 'output' })
      if (index === gateAt) publisher = new SerialPublisher(publisher)
      const inner = publisher
      publisher = checkedPublisher(
        await building(path, () => definition.wrapPublisher!(inner, config, parent.at(path, 'output'))),
        path,
      )
    }
    return gateAt === plan.middlewares.length ? new SerialPublisher(publisher) : publisher
  } catch (thrown) {
    await abandonChain(publisher, opening)
    throw thrown
  }
}

/** Who opens closes: what stands already when the next layer cannot be built. */
async function abandonChain(chain: Consumer | Publisher, { path, clock, log }: RouteOpening): Promise<void> {
  await closeWithin({ what: path, clock, log, close: () => chain.close() })
}

/**
 * Where sends are made to take turns on an ordered output: outside this many middlewares; undefined: nowhere.
 *
 * With a middleware in between, a failed batch may be sent again while the next one is on its way, and batches may
 * overtake one another. So the whole run of middlewares takes one batch at a time, up to the first that gives up the
 * order anyway, such as one that merges sends. A bare leaf that is `pipelined` orders what overlaps by itself.
 */
function positionOfGate(plan: EndpointPlan<'output'>, concurrency: number): number | undefined {
  let capabilities = plan.leafCapabilities
  const order = capabilities.orderedPublish
  if (order === 'no') return undefined
  let position = 0
  for (const { definition, config } of plan.middlewares) {
    capabilities = definition.changes?.(capabilities, config, { side: 'output', concurrency }) ?? capabilities
    if (capabilities.orderedPublish === 'no') break
    position += 1
  }
  return order === 'serial' || position > 0 ? position : undefined
}

/**
 * An endpoint that is made of other endpoints has no connection of its own: those within it have their shells, it is
 * built once. A structural endpoint without any is a leaf like all others.
 */
function isComposite(plan: EndpointPlan): boolean {
  if (plan.definition.structural !== true) return false
  return plan.children.some(child => !plan.middlewares.some(entry => isBelow(child.path, entry.path)))
}

function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(ancestor) && (path[ancestor.length] === '.' || path[ancestor.length] === '[')
}

async function building<T>(path: string, build: () => T | Promise<T>): Promise<T> {
  try {
    return await build()
  } catch (thrown) {
    throw toMqbError(thrown, 'connection', path)
  }
}

function wrongSide({ kind, path, side }: { kind: string; path: string; side: string }): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_WRONG_SIDE',
    where: path,
    what: `${kind} cannot be used on an ${side}`,
    mend: `move it to the ${side === 'input' ? 'output' : 'input'}, or remove it`,
  })
}
