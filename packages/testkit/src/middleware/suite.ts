import type { Side } from '@mqb/core'
import { chooseTests, registerChoice } from '../connector/choice.ts'
import { SlabWatch } from '../connector/compare.ts'
import type { ConnectorTest } from '../connector/connector-test.ts'
import type { ConnectorSuiteOptions, InapplicableRule } from '../connector/index.ts'
import { connectorTests } from '../connector/suite.ts'
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
 *
 * @returns the rules that apply around none of these ends, as `testConnector` does.
 */
export function testMiddleware(
  runner: TestRunner,
  options: MiddlewareSuiteOptions,
): readonly InapplicableRule[] {
  const inapplicable = new Map<string, InapplicableRule>()
  const applicable = new Set<string>()
  runner.describe(options.title ?? `${options.middleware}: middleware conformance`, () => {
    for (const side of sidesOf(options)) {
      runner.describe(`on an ${side}`, () => {
        registerTests(
          runner,
          side === 'input' ? middlewareInputTests : middlewareOutputTests,
          async () => createMiddlewareWorld(side, options),
          world => world.tearDown(),
        )
      })
      const tests = connectorTests.filter(test => concerns(test, side))
      for (const { name, config } of variants) {
        const suite = (): ConnectorSuiteOptions => wrappedSuite(side, config, options)
        const choice = chooseTests(suite(), tests)
        for (const test of choice.tests) applicable.add(test.name)
        for (const rule of choice.inapplicable) inapplicable.set(rule.name, rule)
        runner.describe(`around the ${side} of ${name}`, () => registerChoice(runner, suite, choice))
      }
    }
  })
  return [...inapplicable.values()].filter(rule => !applicable.has(rule.name))
}

/** Tests of the other side alone would only test the reference connector. */
function concerns(test: ConnectorTest, side: Side): boolean {
  const other = side === 'input' ? 'output' : 'input'
  return test.needs.includes(side) || !test.needs.includes(other)
}

function wrappedSuite(
  side: Side,
  config: Omit<ReferenceConfig, 'channel'>,
  options: MiddlewareSuiteOptions,
): ConnectorSuiteOptions {
  const watch = new SlabWatch()
  const inner = createReferenceConnector().suite(config)
  return {
    ...inner,
    plugin: wrapEndpoint(inner.plugin, side, neutralConfigOf(options, side), options, watch),
    limits: { ...middlewareLimits, ...options.limits },
    provision: async () => ({
      ...(await inner.provision()),
      async dispose() {
        watch.assertUntouched(`the middleware ${options.middleware}`)
      },
    }),
  }
}
