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

function batches(messages) {
  const list = []
  for (let made = 0; made < messages; made += batchSize) {
    const batch = []
    for (let at = made; at < Math.min(made + batchSize, messages); at++)
      batch.push(Message.view(line, 0, line.length - 1))
    list.push(batch)
  }
  return list
}

async function throughRoute(messages, round) {
  const list = batches(messages)
  const capacity = list.length + 1
  const input = channel(`in-${round}`, { capacity })
  const output = channel(`out-${round}`, { capacity })
  for (const batch of list) await input.fill(batch)
  const bridge = createBridge({ plugins: [memory, passPlugin], log: silentLogger })
  const route = bridge.route('bench', {
    input: { memory: { topic: `in-${round}`, capacity } },
    output: {
      memory: { topic: `out-${round}`, capacity },
      middlewares: [{ pass_a: {} }, { pass_b: {} }, { pass_c: {} }],
    },
    batch_size: batchSize,
    exit_on_empty: true,
  })
  input.close()
  const start = performance.now()
  await route.start()
  const { counts } = await route.join()
  const elapsed = performance.now() - start
  if (counts.delivered !== messages) throw new Error(`${counts.delivered} of ${messages} arrived`)
  output.drain()
  return elapsed
}

async function throughFloor(messages) {
  const list = batches(messages)
  const sink = []
  const last = async batch => {
    sink.push(batch)
  }
  const wrap = inner => async batch => inner(batch)
  const send = wrap(wrap(wrap(last)))
  const start = performance.now()
  for (const batch of list) await send(batch)
  return performance.now() - start
}

const run = side === 'ours' ? throughRoute : throughFloor
await run(Math.ceil(count / 5), 'warm')
const elapsed = await run(count, 'timed')
console.log(JSON.stringify({ nsPerMessage: (elapsed * 1e6) / count }))
