import { ack, EndOfStream, failure, MqbError, type Outcome, outcomeList } from '@mqb/core'
import { textMessages } from '@mqb/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evenOnes, filteredInput, limit, live } from './world.ts'

const again = failure(new MqbError({ kind: 'retryable', code: 'X', what: 'x' }))
/** What the route says about a message that was kept: any outcome, by its number. */
const outcomeOf = (n: number): Outcome => (n % 5 === 0 ? again : ack())
const numberIn = (message: { json(): unknown }): number => (message.json() as { n: number }).n

describe('any source batches, any limits', () => {
  it('each message is handed out or left out once, in order, and its source is told once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.boolean(), { maxLength: 12 }), { maxLength: 12 }),
        fc.array(fc.record({ messages: fc.nat(6), bytes: fc.integer({ min: 1, max: 60 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (batches, limits) => {
          let next = 0
          const script = batches.map(batch =>
            textMessages(...batch.map(isKept => `{"n":${2 * next++ + (isKept ? 0 : 1)}}`)),
          )
          const sent = script.flat().map(numberIn)
          const { consumer, inner } = await filteredInput(evenOnes, script)
          const received: number[] = []
          for (let round = 0; round < 500; round++) {
            const { messages, bytes } = limits[round % limits.length]!
            const batch = await consumer
              .receive(limit(Math.max(round % 2, messages), bytes), live)
              .catch((error: unknown) => error)
            if (EndOfStream.is(batch)) break
            const { messages: got, commit } = batch as Awaited<ReturnType<typeof consumer.receive>>
            expect(got.length).toBeLessThanOrEqual(Math.max(round % 2, messages))
            received.push(...got.map(numberIn))
            if (got.length > 0) await commit(got.map(message => outcomeOf(numberIn(message))))
          }
          expect(received).toEqual(sent.filter(n => n % 2 === 0))
          const told = inner.commits.flatMap(({ messages, outcomes }) =>
            outcomeList(outcomes, messages.length).map((outcome, index) => [
              numberIn(messages[index]!),
              outcome,
            ]),
          )
          expect(told.sort((one, other) => (one[0] as number) - (other[0] as number))).toEqual(
            sent.map(n => [n, n % 2 === 0 ? outcomeOf(n) : ack('filtered')]),
          )
        },
      ),
      { numRuns: 300 },
    )
  })
})
