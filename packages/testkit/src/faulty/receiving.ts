import { type Batch, type Consumer, EndOfStream, type ReceiveLimit } from '@mqb/core'
import { changedConsumer, type FaultyConnector, faulty, forever } from './faulty-connector.ts'

const quietDrain = 'a draining input says that there is nothing'
const drainsAll = 'a draining input hands out everything before it ends'
const askedAgain = 'an input can be asked again after its end'
const abortLoses = 'aborting a receive loses no message'

type Receive = Consumer['receive']

/** An input whose `receive` is another function. */
function receiving(
  fault: { readonly name: string; readonly breaks: string; readonly alsoBreaks?: readonly string[] },
  receive: (inner: Consumer, limit: ReceiveLimit, signal: AbortSignal) => Promise<Batch>,
): FaultyConnector {
  return faulty({
    ...fault,
    consumer: inner => changedConsumer(inner, { receive: (limit, signal) => receive(inner, limit, signal) }),
  })
}

const never = (): AbortSignal => new AbortController().signal

export const receivingFaults: readonly FaultyConnector[] = [
  faulty({
    name: 'an input that waits for a second message',
    breaks: 'a receive waits for the first message and takes what is there',
    alsoBreaks: ['receives leave no listener on their signal'],
    consumer(inner, { channel, opening }) {
      const receive: Receive = async (limit, signal) => {
        if (channel.ready.length === 0 && !opening.drain)
          while (
            channel.ready.length < 2 &&
            !signal.aborted &&
            !channel.connection.aborted &&
            inner.status().healthy
          )
            await channel.arrival(AbortSignal.any([signal, AbortSignal.timeout(20)]))
        return inner.receive(limit, signal)
      }
      return changedConsumer(inner, { receive })
    },
  }),
  receiving(
    {
      name: 'an input that takes no notice of the limit of messages',
      breaks: 'a receive hands out no more messages than its limit',
    },
    (inner, limit, signal) =>
      inner.receive(limit.messages === 3 ? { ...limit, messages: 1_000 } : limit, signal),
  ),
  receiving(
    {
      name: 'an input that takes no notice of the limit of bytes',
      breaks: 'a receive stops filling after the message that crosses its byte limit',
    },
    (inner, limit, signal) => inner.receive({ ...limit, bytes: 1 << 30 }, signal),
  ),
  receiving(
    {
      name: 'an input that takes a message when asked for none',
      breaks: 'a receive of no messages takes nothing',
    },
    async (inner, limit, signal) => {
      if (limit.messages === 0) await inner.receive({ ...limit, messages: 1 }, signal)
      return inner.receive(limit, signal)
    },
  ),
  receiving(
    {
      name: 'an input that answers an abort with an empty batch',
      breaks: 'an aborted receive rejects with the reason',
    },
    async (inner, limit, signal) => {
      try {
        return await inner.receive(limit, signal)
      } catch (error) {
        if (error !== signal.reason) throw error
        return { messages: [], commit: async () => {} }
      }
    },
  ),
  receiving(
    { name: 'an input that does not notice an abort', breaks: 'an aborted receive rejects with the reason' },
    (inner, limit, signal) => inner.receive(limit, signal.aborted ? signal : never()),
  ),
  receiving(
    {
      name: 'an input that waits although its signal is aborted',
      breaks: 'a receive whose signal is aborted already does not wait',
    },
    (inner, limit, signal) => (signal.aborted ? forever() : inner.receive(limit, signal)),
  ),
  receiving(
    {
      name: 'an input whose aborted receive still takes a message',
      breaks: abortLoses,
      alsoBreaks: ['a batch of none, of one and of many is answered by position'],
    },
    async (inner, limit, signal) => {
      signal.throwIfAborted()
      const done = new AbortController()
      const batch = inner.receive(limit, never())
      batch.catch(() => undefined)
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal })
      })
      return Promise.race([batch, stopped]).finally(() => done.abort())
    },
  ),
  receiving(
    {
      name: 'an input that leaves a listener for every receive',
      breaks: 'receives leave no listener on their signal',
    },
    (inner, limit, signal) => {
      signal.addEventListener('abort', () => {})
      return inner.receive(limit, signal)
    },
  ),
  faulty({
    name: 'an input that is never empty in a drain',
    breaks: quietDrain,
    alsoBreaks: [drainsAll, askedAgain],
    consumer: (inner, { opening }) =>
      changedConsumer(inner, {
        async receive(limit, signal) {
          try {
            return await inner.receive(limit, signal)
          } catch (error) {
            if (opening.drain) await forever()
            throw error
          }
        },
      }),
  }),
  faulty({
    name: 'an input that forgets what it has taken when the end comes',
    breaks: drainsAll,
    alsoBreaks: [],
    consumer: (inner, { channel, opening }) =>
      changedConsumer(inner, {
        async receive(limit, signal) {
          const batch = await inner.receive(limit, signal)
          // It looks for more and finds the end; more than 20 messages are beyond its first page.
          if (opening.drain && channel.ready.length === 0 && batch.messages.length > 20)
            return inner.receive(limit, signal)
          return batch
        },
      }),
  }),
  faulty({
    name: 'an input that hangs when it is asked again after its end',
    breaks: askedAgain,
    consumer(inner) {
      let ended = false
      return changedConsumer(inner, {
        async receive(limit, signal) {
          if (ended) return forever()
          try {
            return await inner.receive(limit, signal)
          } catch (error) {
            ended = EndOfStream.is(error)
            throw error
          }
        },
      })
    },
  }),
  faulty({
    name: 'an input whose pin reads',
    breaks: 'pin keeps what comes and reads nothing',
    consumer: inner =>
      changedConsumer(inner, {
        async pin() {
          await inner.receive({ messages: 1, bytes: 1 }, never())
        },
      }),
  }),
]
