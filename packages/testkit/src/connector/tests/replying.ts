import assert from 'node:assert/strict'
import { failure, Message, MqbError, type Outcome, type Outcomes, outcomeAt, reply } from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { within } from '../../runner/within.ts'
import { connectorTest } from '../connector-test.ts'
import type { World } from '../world.ts'

const bothReply: Parameters<typeof connectorTest>[0]['when'] = ({ input, output }) =>
  input?.replies === 'yes' && output?.replies === 'yes'
    ? undefined
    : 'capability `replies` is not yes on both sides'

/** Sends requests, commits them as `answer` says, and gives what the sender was told. */
async function ask(
  world: World,
  requests: readonly Message[],
  answer: (request: Message) => Outcome,
): Promise<Outcomes> {
  const receiver = await world.openReceiver()
  const publisher = await world.openPublisher()
  const sending = world.send(publisher, requests)
  sending.catch(() => undefined)
  for (const batch of await receiver.lend(requests.length))
    await within(batch.commit(batch.messages.map(answer)), world.limits.patienceMs, 'commit')
  const outcomes = await within(sending, world.limits.patienceMs, 'a send that waits for replies')
  if (typeof outcomes !== 'symbol')
    assert.equal(outcomes.length, requests.length, 'outcomes have the length of the batch')
  return outcomes
}

export const replyingTests = [
  connectorTest({
    name: 'a reply reaches the one who asked, at the position of the request',
    rule: 'a reply travels back as it is and carries the id of the request',
    needs: ['input', 'output'],
    when: bothReply,
    async run(world) {
      const requests = numberedMessages(4)
      const outcomes = await ask(world, requests, request =>
        reply(new Message(`answer to ${request.text()}`, { kind: 'answer' }, request.id)),
      )
      requests.forEach((request, index) => {
        const outcome = outcomeAt(outcomes, index)
        assert.equal(outcome.kind, 'reply', `outcome ${index}`)
        if (outcome.kind !== 'reply') return
        assert.equal(outcome.message.text(), `answer to ${request.text()}`)
        assert.equal(outcome.message.id, request.id, 'the id of the reply')
      })
    },
  }),
  connectorTest({
    name: 'a request that failed is answered with a failure',
    rule: 'an input with a caller answers with the error',
    needs: ['input', 'output'],
    when: bothReply,
    async run(world) {
      const outcomes = await ask(world, numberedMessages(2), request =>
        request.text() === '{"n":"1"}'
          ? failure(
              new MqbError({ kind: 'permanent', code: 'MQB_TESTKIT_FAILURE', what: 'refused by the test' }),
            )
          : reply(new Message('fine', undefined, request.id)),
      )
      assert.equal(outcomeAt(outcomes, 0).kind, 'reply', 'the request beside it')
      assert.equal(outcomeAt(outcomes, 1).kind, 'failure', 'the request that failed')
    },
  }),
]
