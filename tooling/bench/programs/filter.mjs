// Filters batches of 4096 messages of 125 bytes: by the middleware, by JSON.parse with a written condition, or by JSON.parse
// and zen-engine. Prints the nanoseconds per message as JSON, of the best of several rounds.
import { evaluateExpressionSync } from '@gorules/zen-engine'
import { ALL_ACKED, ack, Message } from '@mqb/core'
import { silentLogger } from '@mqb/core/runtime'
import filter from '@mqb/filter'

const [side, countText] = process.argv.slice(2)
const batchSize = 4096
const expression = 'order.status == "open" and reading > 10'
const lineBytes = 125

const payload = index => {
  const random = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  const text = JSON.stringify({
    id: index,
    ts: '2026-03-01T12:00:00.000Z',
    order: { status: random % 2 === 0 ? 'open' : 'closed', qty: random % 100 },
    reading: (random % 200_000) / 100,
    dev: `d${index % 1000}`,
    p: '',
  })
  return `${text.slice(0, -2)}${'x'.repeat(lineBytes - 1 - text.length)}"}`
}

// Each batch in a slab of its own, as a reader of files has them.
const batches = Array.from({ length: 16 }, (_, batch) => {
  const texts = Array.from({ length: batchSize }, (_, index) => payload(batch * batchSize + index))
  const slab = Buffer.from(`${texts.join('\n')}\n`)
  return texts.map((_, index) => Message.view(slab, index * lineBytes, (index + 1) * lineBytes - 1))
})

let kept = 0
const sides = {
  async ours() {
    const sink = {
      async send(messages) {
        kept += messages.length
        return ALL_ACKED
      },
      async flush() {},
      status: () => ({ healthy: true, target: 'sink' }),
      async close() {},
    }
    const opening = { path: 'bench.output.filter', log: silentLogger, counters: { add() {} } }
    const publisher = await filter.middlewares.filter.wrapPublisher(sink, expression, opening)
    const { signal } = new AbortController()
    return batch => publisher.send(batch, signal)
  },
  async parse() {
    return async batch => {
      const keep = []
      for (const message of batch) {
        const value = JSON.parse(message.bytes.toString('utf8', message.start, message.end))
        if (value.order.status === 'open' && value.reading > 10) keep.push(message)
      }
      kept += keep.length
      return batch.map(() => ack())
    }
  },
  async zen() {
    return async batch => {
      const keep = []
      for (const message of batch) {
        const value = JSON.parse(message.bytes.toString('utf8', message.start, message.end))
        if (evaluateExpressionSync(expression, value) === true) keep.push(message)
      }
      kept += keep.length
      return batch.map(() => ack())
    }
  },
}

const send = await sides[side]()
const perRound = side === 'zen' ? 2 : batches.length
const rounds = Math.max(5, Math.ceil(Number(countText) / (side === 'zen' ? 20 : 1) / (perRound * batchSize)))
let best = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds; round++) {
  const start = performance.now()
  for (let index = 0; index < perRound; index++) await send(batches[index])
  best = Math.min(best, performance.now() - start)
}
if (kept === 0 || kept % rounds !== 0) throw new Error(`kept ${kept} in ${rounds} rounds`)
console.log(JSON.stringify({ nsPerMessage: (best * 1e6) / (perRound * batchSize) }))
