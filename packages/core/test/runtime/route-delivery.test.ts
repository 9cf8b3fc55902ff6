import { describe, expect, it } from 'vitest'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

describe('a route', () => {
  it('moves everything and completes when the source has ended', async () => {
    const source = new TestSource(texts(95), { end: 'end' })
    const sink = new TestSink()
    const { run, log } = testRun({ source, sink })
    const result = await run.join()
    expect(result.outcome).toBe('completed')
    expect(sink.delivered).toEqual(texts(95))
    expect(source.settled).toEqual(texts(95))
    expect(result.counts).toMatchObject({ in: 95, delivered: 95, returned: 0, inFlight: 0 })
    expect(sink.closed).toBe(1)
    expect(source.closed).toBe(1)
    expect(log.withCode('MQB_UNBALANCED')).toEqual([])
  })
})
