import { ALL_ACKED, MqbError } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { testClock } from './support/clock.ts'
import { testRun } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const full = new MqbError({ kind: 'retryable', code: 'MQB_TEST_FULL', what: 'no space' })

describe('a route whose output fails for now, without end', () => {
  it('says so once, and once that it gets on again', async () => {
    const clock = testClock()
    let isFull = true
    const sink = new TestSink(() => {
      if (isFull) throw full
      return ALL_ACKED
    })
    const source = new TestSource(['a'])
    const { run, log } = testRun({ source, sink, clock, random: () => 0.5 })
    void run.start()
    await clock.advance(60_000)
    expect(run.status().state).toBe('blocked')
    expect(log.withCode('MQB_ROUTE_BLOCKED')).toMatchObject([
      { level: 'warn', text: expect.stringContaining('no space') },
    ])
    isFull = false
    await clock.advance(20_000)
    expect(log.withCode('MQB_ROUTE_UNBLOCKED')).toHaveLength(1)
    expect(source.settled).toEqual(['a'])
    void run.stop()
    await clock.advance(1_000)
    await run.join()
  })

  it('says so when a send is not answered', async () => {
    const clock = testClock()
    const { run, log } = testRun({
      source: new TestSource(['a']),
      sink: new TestSink(() => new Promise(() => {})),
      clock,
    })
    void run.start()
    await clock.advance(120_000)
    expect(log.withCode('MQB_ROUTE_BLOCKED')).toHaveLength(1)
    void run.stop({ deadlineMs: 0 })
    await clock.advance(10_000)
    await run.join()
  })
})
