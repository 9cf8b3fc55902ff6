import { committingFaults } from './committing.ts'
import { contentFaults } from './content.ts'
import type { FaultyConnector } from './faulty-connector.ts'
import { lifecycleFaults } from './lifecycle.ts'
import { receivingFaults } from './receiving.ts'
import { sendingFaults } from './sending.ts'

export type { FaultyConnector } from './faulty-connector.ts'

/** Every connector that breaks one rule; each test of the connector suite is broken by at least one of them. */
export const faultyConnectors: readonly FaultyConnector[] = [
  ...lifecycleFaults,
  ...contentFaults,
  ...receivingFaults,
  ...committingFaults,
  ...sendingFaults,
]
export { type FaultyMiddleware, faultyMiddlewares } from './middlewares.ts'
