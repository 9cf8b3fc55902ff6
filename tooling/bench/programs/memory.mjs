// Moves messages from one memory topic to another through three middlewares that do nothing, or does the same with
// nothing but arrays and three async functions. Prints the nanoseconds per message as JSON.
import { defineMiddleware, definePlugin, Message, wrapPublisher } from '@mqb/core'
import { createBridge, silentLogger } from '@mqb/core/runtime'
import memory, { channel } from '@mqb/memory'

const [side, batchSizeText, countText] = process.argv.slice(2)
const batchSize = Number(batchSizeText)
const count = Number(countText)
const line = Buffer.from(`{"id":1234567,"name":"a name of some length","amount":12.5,"tags":["a","b"]}\n`)

const pass = defineMiddleware({
  summary: 'Hands everything on.',
  config: { type: 'object' },
  examples: [],
  wrapPublisher: inner =>
    wrapPublisher(inner, {
      async send(messages, signal) {
        return inner.send(messages, signal)
      },
    }),
})
const passPlugin = definePlugin({
  name: 'mqb-plugin-pass',
  middlewares: { pass_a: pass, pass_b: pass, pass_c: pass },
})

// A few batches go round and round: what is measured is the way, not the making and keeping of messages.
const batches = Array.from({ length: 16 }, () =>
  Array.from({ length: batchSize }, () => Message.view(line, 0, line.length - 1)),
)

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

async function throughRoute(rounds, name) {
  const input = channel(`in-${name}`, { capacity: 64 })
  const output = channel(`out-${name}`, { capacity: 64 })
  const bridge = createBridge({ plugins: [memory, passPlugin], log: silentLogger })
  const route = bridge.route('bench', {
    input: { memory: { topic: `in-${name}`, capacity: 64 } },
    output: {
      memory: { topic: `out-${name}`, capacity: 64 },
      middlewares: [{ pass_a: {} }, { pass_b: {} }, { pass_c: {} }],
    },
    batch_size: batchSize,
  })
  await route.start()
  let isOver = false
  const feed = async () => {
    for (let round = 0; round < rounds; round++) await input.fill(batches[round % batches.length])
    input.close()
  }
  const empty = async () => {
    let arrived = 0
    while (!isOver || output.length() > 0) {
      arrived += output.drain().length
      await nextTurn()
    }
    return arrived
  }
  const start = performance.now()
  const emptying = empty()
  await feed()
  await route.join()
  isOver = true
  const arrived = await emptying
  const elapsed = performance.now() - start
  if (arrived !== rounds * batchSize) throw new Error(`${arrived} of ${rounds * batchSize} arrived`)
  return elapsed
}

async function throughFloor(rounds) {
  let sink = []
  let arrived = 0
  const last = async batch => {
    sink.push(batch)
    if (sink.length < 64) return
    for (const each of sink) arrived += each.length
    sink = []
  }
  const wrap = inner => async batch => inner(batch)
  const send = wrap(wrap(wrap(last)))
  const start = performance.now()
  for (let round = 0; round < rounds; round++) await send(batches[round % batches.length].slice())
  const elapsed = performance.now() - start
  for (const each of sink) arrived += each.length
  if (arrived !== rounds * batchSize) throw new Error(`${arrived} of ${rounds * batchSize} arrived`)
  return elapsed
}

const run = side === 'ours' ? throughRoute : throughFloor
const rounds = Math.ceil(count / batchSize)
await run(Math.ceil(rounds / 5), 'warm')
const elapsed = await run(rounds, 'timed')
console.log(JSON.stringify({ nsPerMessage: (elapsed * 1e6) / (rounds * batchSize) }))
