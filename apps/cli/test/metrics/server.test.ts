import { createLogger } from '@mqb/core/runtime'
import { describe, expect, it } from 'vitest'
import { formatAddress, isLoopback, parseListenAddress } from '../../src/metrics/address.ts'
import { serveMetrics } from '../../src/metrics/server.ts'

const page = { contentType: 'text/plain; version=0.0.4; charset=utf-8', render: async () => 'x_total 1\n' }

function capture() {
  const lines: string[] = []
  return { lines, log: createLogger({ sink: line => lines.push(line) }) }
}

describe('the metrics address', () => {
  it('serves /metrics and nothing else', async () => {
    const { log } = capture()
    const served = await serveMetrics({ host: '127.0.0.1', port: 0 }, page, log)
    if (served === undefined) throw new Error('not served')
    const base = `http://${formatAddress(served.address)}`
    const answer = await fetch(`${base}/metrics?x=1`)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      page.contentType,
      'x_total 1\n',
    ])
    expect((await fetch(`${base}/`)).status).toBe(404)
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405)
    const head = await fetch(`${base}/metrics`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    await served.close()
    await expect(fetch(`${base}/metrics`)).rejects.toThrow()
  })

  it('that is taken is a warning that says what to do', async () => {
    const { lines, log } = capture()
    const first = await serveMetrics({ host: '127.0.0.1', port: 0 }, page, log)
    if (first === undefined) throw new Error('not served')
    expect(await serveMetrics(first.address, page, log)).toBeUndefined()
    expect(lines.join()).toMatch(/WARN .*cannot listen on 127\.0\.0\.1:\d+.*EADDRINUSE.*--metrics-addr/)
    await first.close()
  })

  it('answers 500 when the page fails', async () => {
    const { lines, log } = capture()
    const broken = { ...page, render: () => Promise.reject(new Error('broken')) }
    const served = await serveMetrics({ host: '127.0.0.1', port: 0 }, broken, log)
    if (served === undefined) throw new Error('not served')
    expect((await fetch(`http://${formatAddress(served.address)}/metrics`)).status).toBe(500)
    expect(lines.join()).toContain('broken')
    await served.close()
  })

  it('is read with and without brackets', () => {
    expect(parseListenAddress('127.0.0.1:9090')).toEqual({ host: '127.0.0.1', port: 9090 })
    expect(parseListenAddress('[::1]:0')).toEqual({ host: '::1', port: 0 })
    expect(parseListenAddress(':80')).toEqual({ host: '::', port: 80 })
    for (const wrong of ['', '9090', 'a:b', '::1:80', 'h:70000', 'h h:1'])
      expect(parseListenAddress(wrong)).toBeUndefined()
    expect(['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::'].map(isLoopback)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
