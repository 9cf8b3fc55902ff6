import type { Side } from '@mqb/core'
import { SlabWatch } from '../connector/compare.ts'
import type { ConnectorTest } from '../connector/connector-test.ts'
import { connectorTests } from '../connector/suite.ts'
import { createWorld, type World } from '../connector/world.ts'
import { createReferenceConnector, type ReferenceConfig } from '../reference/index.ts'
import { registerTests, type TestRunner } from '../runner/runner.ts'
import { middlewareInputTests } from './input-tests.ts'
import { neutralConfigOf, sidesOf, wrapEndpoint } from './neutral.ts'
import { type MiddlewareSuiteOptions, middlewareLimits } from './options.ts'
import { middlewareOutputTests } from './output-tests.ts'
import { createMiddlewareWorld } from './world.ts'

/** The reference connector in the forms between which contracts differ. */
const variants: readonly { readonly name: string; readonly config: Omit<ReferenceConfig, 'channel'> }[] = [
  { name: 'a queue', config: {} },
  { name: 'a log', config: { order: 'ordered' } },
  { name: 'requests and replies', config: { replies: true } },
]

/**
 * Registers the conformance suite for a middleware in its do-nothing setting: its own tests between scripted ends, and
 * the whole connector suite through it, on each side that it serves, between two ends of a correct connector in memory.
 * Every payload that crosses its borders is hashed before and after.
 */
export function testMiddleware(runner: TestRunner, options: MiddlewareSuiteOptions): void {
  runner.describe(options.title ?? `${options.middleware}: middleware conformance`, () => {
    for (const side of sidesOf(options)) {
      runner.describe(`on an ${side}`, () => {
        registerTests(
          runner,
          side === 'input' ? middlewareInputTests : middlewareOutputTests,
          () => createMiddlewareWorld(side, options),
          world => world.tearDown(),
        )
      })
      for (const { name, config } of variants)
        runner.describe(`around the ${side} of ${name}`, () => {
          registerTests(
            runner,
            connectorTests.filter(test => concerns(test, side)),
            () => wrappedWorld(side, config, options),
            world => world.tearDown(),
          )
        })
    }
  })
}

/** Tests of the other side alone would only test the reference connector. */
function concerns(test: ConnectorTest, side: Side): boolean {
  const other = side === 'input' ? 'output' : 'input'
  return test.needs.includes(side) || !test.needs.includes(other)
}

async function wrappedWorld(
  side: Side,
  config: Omit<ReferenceConfig, 'channel'>,
  options: MiddlewareSuiteOptions,
): Promise<World> {
  const connector = createReferenceConnector()
  const watch = new SlabWatch()
  const middlewareConfig = await neutralConfigOf(options, side)
  return createWorld({
    plugin: wrapEndpoint(connector.plugin, side, middlewareConfig, options, watch),
    endpoint: 'reference',
    limits: { ...middlewareLimits, ...options.limits },
    provision: () => ({
      ...connector.provision(config),
      async dispose() {
        watch.assertUntouched(`the middleware ${options.middleware}`)
      },
    }),
  })
}
