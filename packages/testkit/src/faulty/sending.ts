import { ALL_ACKED, ack, type Message, mintId, type Outcome, outcomeAt, outcomeList } from '@mqb/core'
import { changedPublisher, type FaultyConnector, faulty, forever } from './faulty-connector.ts'

const replyArrives = 'a reply reaches the one who asked, at the position of the request'
const failureArrives = 'a request that failed is answered with a failure'
const pipelinedOrder = 'overlapping sends that were started in order keep it'

export const sendingFaults: readonly FaultyConnector[] = [
  faulty({
    name: 'an output that refuses a send while another runs',
    breaks: 'sends may overlap',
    alsoBreaks: [pipelinedOrder],
    publisher(inner) {
      let running = 0
      return changedPublisher(inner, {
        async send(messages, signal) {
          if (running > 0 && messages.length === 10) throw new Error('busy')
          running++
          try {
            return await inner.send(messages, signal)
          } finally {
            running--
          }
        },
      })
    },
  }),
  faulty({
    name: 'an output whose overlapping sends overtake one another',
    breaks: pipelinedOrder,
    publisher(inner) {
      let running = 0
      return changedPublisher(inner, {
        async send(messages, signal) {
          running++
          try {
            if (running === 1 && messages.length === 10) await new Promise(resolve => setTimeout(resolve, 5))
            return await inner.send(messages, signal)
          } finally {
            running--
          }
        },
      })
    },
  }),
  faulty({
    name: 'a serial output that reorders a batch',
    breaks: 'sends one after the other keep their order',
    config: { publish: 'serial' },
    publisher: inner =>
      changedPublisher(inner, {
        send: (messages, signal) =>
          inner.send(messages.length === 10 ? [...messages].reverse() : messages, signal),
      }),
  }),
  faulty({
    name: 'an ordered output that goes on behind a message that failed for now',
    breaks: 'an ordered output writes nothing behind a message that failed for now',
    config: { refuse: 'poison' },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          if (messages.length !== 5) return inner.send(messages, signal)
          const outcomes: Outcome[] = []
          for (const message of messages) outcomes.push(outcomeAt(await inner.send([message], signal), 0))
          return outcomes
        },
      }),
  }),
  faulty({
    name: 'an output that is stuck after an aborted send',
    breaks: 'a send after an aborted send is answered',
    publisher(inner) {
      let stuck = false
      return changedPublisher(inner, {
        send(messages, signal) {
          if (stuck) return forever()
          signal.addEventListener('abort', () => {
            stuck = true
          })
          return inner.send(messages, signal)
        },
      })
    },
    alsoBreaks: ['sends leave no listener on their signal'],
  }),
  faulty({
    name: 'an output whose flush fails when there is nothing to flush',
    breaks: 'flush brings out what was sent, and asks nothing else',
    publisher(inner) {
      let sends = 0
      return changedPublisher(inner, {
        send(messages, signal) {
          sends++
          return inner.send(messages, signal)
        },
        async flush() {
          if (sends === 0) throw new Error('nothing to flush')
          await inner.flush()
        },
      })
    },
  }),
  faulty({
    name: 'an output that leaves a listener for every send',
    breaks: 'sends leave no listener on their signal',
    publisher: inner =>
      changedPublisher(inner, {
        send(messages, signal) {
          signal.addEventListener('abort', () => {})
          return inner.send(messages, signal)
        },
      }),
  }),
  faulty({
    name: 'an output that acknowledges what it still holds',
    breaks: 'what was answered with an ack is at the sink after close',
    publisher(inner) {
      const held: Message[] = []
      return changedPublisher(inner, {
        async send(messages, signal) {
          held.push(...messages)
          // Whether it is open and connected is asked all the same.
          await inner.send([], signal)
          return ALL_ACKED
        },
        async flush() {
          if (held.length > 0) await inner.send(held.splice(0), new AbortController().signal)
        },
      })
    },
    alsoBreaks: [
      'an output acknowledges nothing that is lost after the connection was cut',
      'an output acknowledges nothing that is lost after the server was restarted',
    ],
  }),
  faulty({
    name: 'an output that writes a message twice',
    breaks: 'a message that is written twice is there once',
    config: { idempotent: true },
    publisher(inner) {
      const seen = new Set<string>()
      return changedPublisher(inner, {
        send(messages, signal) {
          const again = messages.map(message => (seen.has(message.id) ? message.withId(mintId()) : message))
          for (const message of messages) seen.add(message.id)
          return inner.send(again, signal)
        },
      })
    },
  }),
  faulty({
    name: 'an output that gives replies another id',
    breaks: replyArrives,
    config: { replies: true },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
          return outcomes.map(outcome =>
            outcome.kind === 'reply' ? { ...outcome, message: outcome.message.withId(mintId()) } : outcome,
          )
        },
      }),
  }),
  faulty({
    name: 'an output that mixes up replies',
    breaks: replyArrives,
    alsoBreaks: [failureArrives],
    config: { replies: true },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          return [...outcomeList(await inner.send(messages, signal), messages.length)].reverse()
        },
      }),
  }),
  faulty({
    name: 'an output that acknowledges a request that failed',
    breaks: failureArrives,
    config: { replies: true },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
          return outcomes.map(outcome => (outcome.kind === 'failure' ? ack() : outcome))
        },
      }),
  }),
  faulty({
    name: 'an output that acknowledges into a lost connection',
    breaks: [
      'an output acknowledges nothing that is lost after the connection was cut',
      'an output acknowledges nothing that is lost after the server was restarted',
    ],
    publisher: (inner, { channel }) => {
      const { connection } = channel
      return changedPublisher(inner, {
        send: (messages, signal) =>
          connection.aborted ? Promise.resolve(ALL_ACKED) : inner.send(messages, signal),
      })
    },
  }),
]
