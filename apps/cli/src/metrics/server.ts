import { createServer, type Server } from 'node:http'
import type { Logger } from '@mqb/core'
import { formatAddress, type ListenAddress } from './address.ts'

/** What `/metrics` answers. */
export interface MetricsPage {
  readonly contentType: string
  render(): Promise<string>
}

const slowestHeadersMs = 5_000

/**
 * Serves `/metrics` until `close`. Does not keep the process alive, and an address that cannot be had is a warning:
 * messages matter more than their count.
 *
 * @returns `undefined` when nothing is served.
 */
export async function serveMetrics(
  address: ListenAddress,
  page: MetricsPage,
  log: Logger,
): Promise<{ readonly address: ListenAddress; close(): Promise<void> } | undefined> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path !== '/metrics') return end(404, 'text/plain; charset=utf-8', 'metrics are at /metrics\n')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return end(405, 'text/plain; charset=utf-8', 'only GET and HEAD\n')
    page.render().then(
      text => end(200, page.contentType, text),
      error => {
        log.warn('metrics could not be rendered', { error })
        end(500, 'text/plain; charset=utf-8', 'metrics could not be rendered\n')
      },
    )

    function end(status: number, type: string, text: string): void {
      response.writeHead(status, { 'content-type': type, ...(status === 405 ? { allow: 'GET, HEAD' } : {}) })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
  })
  server.headersTimeout = slowestHeadersMs

  try {
    await listen(server, address)
  } catch (error) {
    log.warn(`no metrics: cannot listen on ${formatAddress(address)}`, {
      code: 'MQB_METRICS_ADDRESS',
      cause: error,
      mend: 'choose another address with --metrics-addr, or --no-metrics',
    })
    return undefined
  }
  server.unref()
  server.on('error', error => log.warn('the metrics server had an error', { cause: error }))
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
  return {
    address: { host: address.host, port },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
