import { registerTests, type TestRunner } from '../runner/runner.ts'
import { belongsTo, type ConnectorTest } from './connector-test.ts'
import type { ConnectorSuiteOptions } from './options.ts'
import { committingTests } from './tests/committing.ts'
import { contentTests } from './tests/content.ts'
import { lifecycleTests } from './tests/lifecycle.ts'
import { receivingTests } from './tests/receiving.ts'
import { recoveryTests } from './tests/recovery.ts'
import { replyingTests } from './tests/replying.ts'
import { sendingTests } from './tests/sending.ts'
import { createWorld } from './world.ts'

/** Every test of the connector suite. */
export const connectorTests: readonly ConnectorTest[] = [
  ...lifecycleTests,
  ...contentTests,
  ...receivingTests,
  ...committingTests,
  ...sendingTests,
  ...replyingTests,
  ...recoveryTests,
]

/**
 * Registers the conformance suite for a connector: one group, one test per rule of the contract. Tests that do not
 * apply are skipped with the reason, by the capabilities that the endpoint states for the provisioned configuration,
 * and by the hooks that `provision` returns.
 */
export function testConnector(runner: TestRunner, options: ConnectorSuiteOptions): void {
  runner.describe(options.title ?? `${options.endpoint}: connector conformance`, () => {
    registerTests(
      runner,
      connectorTests.filter(test => belongsTo(test, options.oneSided)),
      () => createWorld(options),
      world => world.tearDown(),
    )
  })
}
