import type { TestRunner } from '../runner/runner.ts'
import { chooseTests, type InapplicableRule, registerChoice } from './choice.ts'
import type { ConnectorTest } from './connector-test.ts'
import type { ConnectorSuiteOptions } from './options.ts'
import { committingTests } from './tests/committing.ts'
import { contentTests } from './tests/content.ts'
import { lifecycleTests } from './tests/lifecycle.ts'
import { receivingTests } from './tests/receiving.ts'
import { recoveryTests } from './tests/recovery.ts'
import { replyingTests } from './tests/replying.ts'
import { sendingTests } from './tests/sending.ts'

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
 * Registers the conformance suite for a connector: one group, one test per rule of the contract that applies, by the
 * capabilities that the endpoint states and by the hooks that `provision` returns.
 *
 * @returns the rules that do not apply, with the reasons; the last test of the group tells them too.
 */
export function testConnector(
  runner: TestRunner,
  options: ConnectorSuiteOptions,
): readonly InapplicableRule[] {
  const choice = chooseTests(options, connectorTests)
  runner.describe(options.title ?? `${options.endpoint}: connector conformance`, () =>
    registerChoice(runner, () => options, choice),
  )
  return choice.inapplicable
}
