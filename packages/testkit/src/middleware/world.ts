import type { Consumer, Publisher, Side } from '@mqb/core'
import { defaultLimits, type SuiteLimits } from '../connector/options.ts'
import { createTestOpening } from '../fakes/test-opening.ts'
import { settlesWithin, within } from '../runner/within.ts'
import { definitionOf, neutralConfigOf } from './neutral.ts'
import { type MiddlewareSuiteOptions, middlewareLimits } from './options.ts'

/** What the tests of a middleware alone work with: it wraps scripted ends. */
export class MiddlewareWorld {
  readonly side: Side
  readonly options: MiddlewareSuiteOptions
  readonly limits: SuiteLimits
  private readonly config: unknown
  private readonly open: { close(): Promise<void> }[] = []

  constructor(side: Side, options: MiddlewareSuiteOptions, config: unknown) {
    this.side = side
    this.options = options
    this.config = config
    this.limits = { ...defaultLimits, ...middlewareLimits, ...options.limits }
  }

  async wrapConsumer(inner: Consumer): Promise<Consumer> {
    const opening = createTestOpening({ ...this.options.opening, side: 'input' })
    const outer = await definitionOf(this.options).wrapConsumer!(inner, this.config, opening)
    this.open.push(outer)
    return outer
  }

  async wrapPublisher(inner: Publisher): Promise<Publisher> {
    const opening = createTestOpening({ concurrency: 4, ...this.options.opening, side: 'output' })
    const outer = await definitionOf(this.options).wrapPublisher!(inner, this.config, opening)
    this.open.push(outer)
    return outer
  }

  within<T>(promise: Promise<T>, what: string): Promise<T> {
    return within(promise, this.limits.patienceMs, what)
  }

  async tearDown(): Promise<void> {
    for (const end of this.open) await settlesWithin((async () => end.close())(), this.limits.closeMs)
  }
}

export function createMiddlewareWorld(side: Side, options: MiddlewareSuiteOptions): MiddlewareWorld {
  return new MiddlewareWorld(side, options, neutralConfigOf(options, side))
}
