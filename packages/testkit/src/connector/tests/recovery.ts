import assert from 'node:assert/strict'
import { ALL_ACKED, EndOfStream, type Message, MqbError, outcomeAt } from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { settlesWithin, within } from '../../runner/within.ts'
import { assertIncludesPayloads, assertSamePayloads } from '../compare.ts'
import { connectorTest, redelivers } from '../connector-test.ts'
import { wideLimit } from '../receiver.ts'
import type { World } from '../world.ts'

/** Both ways of losing a connection get the same tests. */
const losses = [
  { hook: 'cutConnection', name: 'the connection was cut' },
  { hook: 'restartServer', name: 'the server was restarted' },
] as const

const outputRule =
  'a lost connection is told by failures or a throw of kind connection or retryable; nothing is acknowledged that is not there'

/** Sends through an output that may have lost its connection: the messages that it says it has delivered. */
async function sendAcross(world: World, lose: () => Promise<void>): Promise<Message[]> {
  const publisher = await world.openPublisher()
  const acked: Message[] = []
  for (let round = 0; round < 6; round++) {
    if (round === 3) await lose()
    const messages = numberedMessages(2, round * 2)
    try {
      const outcomes = await world.send(publisher, messages)
      acked.push(...messages.filter((_, index) => outcomeAt(outcomes, index).kind !== 'failure'))
    } catch (error) {
      assert.ok(
        !MqbError.is(error) || error.kind === 'connection' || error.kind === 'retryable',
        `a lost connection was told as ${String(error)}`,
      )
    }
  }
  await settlesWithin(publisher.close(), world.limits.closeMs)
  return acked
}

export const recoveryTests = losses.flatMap(({ hook, name }) => [
  connectorTest({
    name: `an input loses nothing after ${name}`,
    rule: 'a lost connection is an error of kind connection from receive; reopened, the input hands out what was not settled',
    needs: ['input', 'put', hook],
    when: redelivers,
    async run(world) {
      const messages = numberedMessages(6)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const first = (await receiver.lend(2, { ...wideLimit, messages: 2 })).flatMap(batch => batch.messages)
      await world.hooks[hook]!()
      const stop = new AbortController()
      const waiting = receiver.consumer.receive(wideLimit, stop.signal).then(
        () => undefined,
        (error: unknown) => error,
      )
      // A client may also mend its connection by itself; then it goes on waiting, or hands out messages.
      await settlesWithin(waiting, world.limits.quietMs)
      stop.abort(new Error('stop waiting'))
      const error = await within(waiting, world.limits.patienceMs, 'a receive after a lost connection')
      assert.ok(
        error === undefined ||
          error === stop.signal.reason ||
          EndOfStream.is(error) ||
          (MqbError.is(error) && error.kind === 'connection'),
        `receive rejected with ${String(error)}`,
      )
      await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
      const again = await (await world.openReceiver()).take(messages.length)
      assert.ok(first.length > 0)
      assertIncludesPayloads(again, messages)
    },
  }),
  connectorTest({
    name: `a commit tells the truth after ${name}`,
    rule: 'commit rejects with kind connection when it is not sure; what it says is done does not come again',
    needs: ['input', 'put', hook],
    when: redelivers,
    async run(world) {
      const messages = numberedMessages(2)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const batches = await receiver.lend(messages.length)
      await world.hooks[hook]!()
      const open: Message[] = []
      for (const batch of batches) {
        const error = await within(
          batch.commit(ALL_ACKED).then(
            () => undefined,
            (thrown: unknown) => thrown,
          ),
          world.limits.patienceMs,
          'a commit after a lost connection',
        )
        if (error === undefined) continue
        assert.ok(MqbError.is(error) && error.kind === 'connection', `commit rejected with ${String(error)}`)
        open.push(...batch.messages)
      }
      await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
      // Those of a commit that was not sure may come again or not.
      const again = await (await world.openReceiver()).rest()
      const surprising = again.filter(message => !open.some(other => other.text() === message.text()))
      assertSamePayloads(surprising, [], false)
    },
  }),
  connectorTest({
    name: `an output acknowledges nothing that is lost after ${name}`,
    rule: outputRule,
    needs: ['output', 'take', hook],
    when: ({ output }) =>
      output?.acks !== true
        ? 'capability `acks` of the output is false'
        : output.replies === 'yes'
          ? 'capability `replies` of the output is yes'
          : undefined,
    async run(world) {
      const acked = await sendAcross(world, () => world.hooks[hook]!())
      const fresh = numberedMessages(2, 100)
      const publisher = await world.openPublisher()
      const outcomes = await world.send(publisher, fresh)
      for (const index of [0, 1])
        assert.notEqual(outcomeAt(outcomes, index).kind, 'failure', 'a reopened output works')
      await within(publisher.flush(), world.limits.patienceMs, 'flush')
      const there = await world.take(acked.length + fresh.length)
      assertIncludesPayloads(there, [...acked, ...fresh])
      assertSamePayloads(
        there.filter(message => fresh.some(other => other.text() === message.text())),
        fresh,
        false,
      )
    },
  }),
])
