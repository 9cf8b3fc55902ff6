import type { EndpointStatus } from '../../contract/status.ts'
import { describeThrown } from '../../errors/normalize.ts'
import type { SimpleEndpoint } from './types.ts'

/** The status of a simple endpoint, also of one that throws when it is asked. */
export function statusOf(endpoint: SimpleEndpoint, target: string, open: boolean): EndpointStatus {
  try {
    const own = endpoint.status?.() ?? {}
    return { target, ...own, healthy: open && (own.healthy ?? true) }
  } catch (thrown) {
    return { target, healthy: false, error: `status() failed: ${describeThrown(thrown)}` }
  }
}
