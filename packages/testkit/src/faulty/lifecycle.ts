import { ALL_ACKED } from '@mqb/core'
import {
  changedCommit,
  changedConsumer,
  changedPublisher,
  type FaultyConnector,
  faulty,
  forever,
} from './faulty-connector.ts'

const inputCloses = 'an input closes early, and twice'
const outputCloses = 'an output closes early, and twice'
const uncommittedClose = 'close does not wait for a batch that is not committed'

export const lifecycleFaults: readonly FaultyConnector[] = [
  faulty({
    name: 'an input that hangs on close when it was never asked for anything',
    breaks: inputCloses,
    consumer(inner) {
      let asked = false
      return changedConsumer(inner, {
        receive(limit, signal) {
          asked = true
          return inner.receive(limit, signal)
        },
        async close() {
          await inner.close()
          if (!asked) await forever()
        },
      })
    },
  }),
  faulty({
    name: 'an output that hangs on close when it was never asked for anything',
    breaks: outputCloses,
    publisher(inner) {
      let asked = false
      return changedPublisher(inner, {
        send(messages, signal) {
          asked = true
          return inner.send(messages, signal)
        },
        async close() {
          await inner.close()
          if (!asked) await forever()
        },
      })
    },
  }),
  faulty({
    name: 'an input that throws at its second close',
    breaks: inputCloses,
    consumer(inner) {
      let closed = false
      return changedConsumer(inner, {
        async close() {
          if (closed) throw new Error('closed already')
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an output that throws at its second close',
    breaks: outputCloses,
    publisher(inner) {
      let closed = false
      return changedPublisher(inner, {
        async close() {
          if (closed) throw new Error('closed already')
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an input whose close waits for commits',
    breaks: uncommittedClose,
    consumer(inner) {
      let open = 0
      return changedConsumer(inner, {
        async receive(limit, signal) {
          const batch = await inner.receive(limit, signal)
          open++
          return {
            messages: batch.messages,
            async commit(outcomes) {
              open--
              await batch.commit(outcomes)
            },
          }
        },
        async close() {
          await inner.close()
          if (open > 0) await forever()
        },
      })
    },
  }),
  faulty({
    name: 'an input that goes on waiting when it is closed',
    breaks: 'close ends a receive that waits',
    consumer(inner) {
      let closed = false
      return changedConsumer(inner, {
        async receive(limit, signal) {
          if (closed) return inner.receive(limit, signal)
          try {
            return await inner.receive(limit, signal)
          } catch (error) {
            if (closed) await forever()
            throw error
          }
        },
        async close() {
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an input that receives nothing, instead of an error, after close',
    breaks: 'a closed input receives nothing',
    consumer(inner) {
      let closed = false
      return changedConsumer(inner, {
        receive: (limit, signal) =>
          closed ? Promise.resolve({ messages: [], commit: async () => {} }) : inner.receive(limit, signal),
        async close() {
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an output that acknowledges after close',
    breaks: 'a closed output sends nothing',
    publisher(inner) {
      let closed = false
      return changedPublisher(inner, {
        send: (messages, signal) => (closed ? Promise.resolve(ALL_ACKED) : inner.send(messages, signal)),
        async close() {
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an input whose commit after close looks fine',
    breaks: 'a commit after close is refused',
    consumer(inner) {
      let closed = false
      const outer = changedCommit(inner, async (batch, outcomes) => {
        if (!closed) await batch.commit(outcomes)
      })
      return changedConsumer(outer, {
        async close() {
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an input that acknowledges after close, although it refuses',
    breaks: 'a commit after close acknowledges nothing',
    consumer: (inner, { channel }) =>
      changedCommit(inner, async (batch, outcomes) => {
        const ids = new Set(batch.messages.map(message => message.id))
        await batch.commit(outcomes).catch((error: unknown) => {
          const kept = channel.ready.filter(entry => !ids.has(entry.message.id))
          channel.ready.splice(0, channel.ready.length, ...kept)
          throw error
        })
      }),
  }),
  faulty({
    name: 'an input that leaves a listener on the signal of its opening',
    breaks: 'a closed input leaves nothing open',
    consumer(inner, { opening }) {
      opening.signal.addEventListener('abort', () => {})
      return inner
    },
  }),
  faulty({
    name: 'an output that leaves a timer running',
    breaks: 'a closed output leaves nothing open',
    publisher: inner =>
      changedPublisher(inner, {
        async close() {
          setTimeout(() => {}, 4_000)
          await inner.close()
        },
      }),
  }),
  faulty({
    name: 'an input whose status throws after close',
    breaks: 'an input tells its state before and after close',
    consumer(inner) {
      let closed = false
      return changedConsumer(inner, {
        status() {
          if (closed) throw new Error('no connection to ask')
          return inner.status()
        },
        async close() {
          closed = true
          await inner.close()
        },
      })
    },
  }),
  faulty({
    name: 'an output whose status does not say what it is connected to',
    breaks: 'an output tells its state before and after close',
    publisher: inner => changedPublisher(inner, { status: () => ({ healthy: true, target: '' }) }),
  }),
  faulty({
    name: 'an input whose status throws while it waits',
    breaks: 'an input tells its state while it waits',
    consumer(inner) {
      let waiting = 0
      return changedConsumer(inner, {
        async receive(limit, signal) {
          waiting++
          try {
            return await inner.receive(limit, signal)
          } finally {
            waiting--
          }
        },
        status() {
          if (waiting > 0) throw new Error('the client is busy')
          return inner.status()
        },
      })
    },
  }),
  ...(['input', 'output'] as const).map(side =>
    faulty({
      name: `an ${side} that goes on opening although nobody wants it`,
      breaks: `opening an ${side} ends when it is no longer wanted`,
      async opening(opening) {
        if (opening.side === side && opening.signal.aborted) await forever()
      },
    }),
  ),
]
