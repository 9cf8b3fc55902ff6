import {
  type AckReason,
  ALL_ACKED,
  ack,
  failure,
  type Message,
  MqbError,
  type Outcome,
  reply,
} from '@mqb/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settle, testClock } from './support/clock.ts'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const error = (kind: 'connection' | 'retryable' | 'permanent'): MqbError =>
  new MqbError({ kind, code: `MQB_TEST_${kind.toUpperCase()}`, what: kind })

const reasons: readonly AckReason[] = [
  'delivered',
  'handled',
  'filtered',
  'duplicate',
  'joined',
  'dead_lettered',
  'dropped',
]

type Fate = 'all' | 'mixed' | 'throw' | 'lost' | 'wrong count' | 'not an error' | 'slow'

const scenario = fc.record({
  ordered: fc.boolean(),
  rewinds: fc.boolean(),
  orderedPublish: fc.constantFrom('no', 'serial', 'pipelined'),
  concurrency: fc.integer({ min: 1, max: 6 }),
  commitConcurrency: fc.integer({ min: 1, max: 4 }),
  batchSize: fc.integer({ min: 1, max: 9 }),
  messages: fc.integer({ min: 0, max: 60 }),
  fates: fc.array(
    fc.constantFrom<Fate>('all', 'mixed', 'throw', 'lost', 'wrong count', 'not an error', 'slow'),
    { maxLength: 12 },
  ),
  outcomes: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 20 }),
  receiveCuts: fc.array(fc.boolean(), { maxLength: 6 }),
  commitCuts: fc.array(fc.boolean(), { maxLength: 6 }),
  handler: fc.boolean(),
  stopAfter: fc.option(fc.integer({ min: 0, max: 40 })),
  deadlineMs: fc.constantFrom(0, 5, 5000),
})

function outcomeOf(choice: number, message: Message): Outcome {
  if (choice < reasons.length) return ack(reasons[choice])
  if (choice === 7) return reply(message)
  return failure(error(choice === 8 ? 'permanent' : choice === 9 ? 'retryable' : 'connection'))
}

describe('the balance of a route', () => {
  it('holds at every moment and at the end, and nothing is settled twice or lost, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async given => {
        const clock = testClock()
        const source = new TestSource(texts(given.messages), {
          ordered: given.ordered,
          rewinds: given.rewinds,
          end: 'empty',
        })
        for (const cut of given.receiveCuts)
          source.receiveFaults.push(() => {
            if (cut) throw error('connection')
          })
        for (const cut of given.commitCuts)
          source.commitFaults.push(() => {
            if (cut) throw error('connection')
          })
        let choice = 0
        const sink = new TestSink(async (messages, call) => {
          const fate = given.fates[call] ?? 'all'
          if (fate === 'slow') await settle(3)
          if (fate === 'throw') throw error('retryable')
          if (fate === 'lost') throw error('connection')
          if (fate === 'not an error') throw undefined
          if (fate === 'wrong count') return [ack(), ...messages.map(() => ack())]
          if (fate === 'all' || fate === 'slow') return ALL_ACKED
          return messages.map(message =>
            outcomeOf(given.outcomes[choice++ % given.outcomes.length]!, message),
          )
        })
        const tries = new Map<string, number>()
        const { run, log } = testRun({
          source,
          sink,
          drain: true,
          clock,
          input: {
            capabilities: { commitOrder: given.ordered ? 'ordered' : 'any', rewinds: given.rewinds },
          },
          output: { capabilities: { orderedPublish: given.orderedPublish } },
          options: {
            concurrency: given.concurrency,
            commit_concurrency_limit: given.commitConcurrency,
            batch_size: given.batchSize,
          },
          ...(given.handler
            ? {
                handler: (message: Message) => {
                  const text = message.text()
                  const number = Number(text.slice(1))
                  tries.set(text, (tries.get(text) ?? 0) + 1)
                  if (number % 5 === 0 && (tries.get(text) ?? 0) < 3) throw new Error('a fault')
                  return number % 7 === 0 ? null : message
                },
              }
            : {}),
        })
        const done = run.join()
        let over = false
        void done.then(() => {
          over = true
        })
        for (let round = 0; !over; round++) {
          if (round === given.stopAfter) void run.stop({ deadlineMs: given.deadlineMs })
          await clock.advance(round < 50 ? 20 : 1000)
          expect(run.status().balanced).toBe(true)
          if (round === 300) throw new Error(`does not end: ${JSON.stringify(run.status())}`)
        }
        const result = await done
        expect(log.withCode('MQB_UNBALANCED')).toEqual([])
        expect(result.counts.inFlight).toBe(0)
        expect(new Set(source.settled).size).toBe(source.settled.length)
        expect(source.settled.length + source.remaining).toBe(given.messages)
        const { in: taken, returned } = result.counts
        expect(taken - returned).toBe(source.settled.length)
        if (given.ordered) expect(source.settled).toEqual(texts(source.position))
        if (result.outcome === 'completed') expect(source.remaining).toBe(0)
        expect([source.open, sink.open, clock.pending]).toEqual([0, 0, 0])
      }),
      { numRuns: 150 },
    )
  }, 120_000)
})
