// Evaluates one expression over messages of 125 bytes in a slab, or does the same in another way. Prints the nanoseconds
// per message as JSON: the best of many rounds, since the other rounds measure what else the machine does.
import { createRequire } from 'node:module'
import { compileExpression } from '../../../packages/expression/dist/index.js'

const [name, side, countText] = process.argv.slice(2)
const count = Number(countText)

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
  return `${text.slice(0, -2)}${'x'.repeat(124 - text.length)}"}`
}
const texts = Array.from({ length: count }, (_, index) => payload(index))
const slab = Buffer.from(`${texts.join('\n')}\n`)
const messages = texts.map((_, index) => ({
  bytes: slab,
  start: index * 125,
  end: index * 125 + 124,
  metadataPairs: [],
}))
const parsed = texts.map(text => JSON.parse(text))

const zen = () =>
  createRequire(new URL('../../../packages/expression/package.json', import.meta.url))('@gorules/zen-engine')

// Other expressions first, as in a process with several routes: closures that only one expression uses are faster.
for (const source of [
  'a + b * 2',
  'len(x) > 3 and y',
  '{ a: 1, b: x }',
  'x ?? 3',
  'not q',
  '(a.b ?? 1) - 4 / 2',
]) {
  const other = compileExpression(source, { purpose: 'predicate' })
  for (const message of messages.slice(0, 50)) other.evaluate(message)
}

const filter = 'order.status == "open" and reading > 10'
const total = '{ total: (state.total ?? 0) + reading, count: (state.count ?? 0) + 1 }'
const average = '{ s: (state.s ?? 0) * 0.99 + reading, w: (state.w ?? 0) * 0.99 + 1 }'
const steps = 1000

const programs = {
  filter: {
    ours: () => {
      const expression = compileExpression(filter, { purpose: 'predicate' })
      return () => messages.reduce((kept, message) => kept + (expression.test(message) ? 1 : 0), 0)
    },
    parse: () => () =>
      texts.reduce((kept, text) => {
        const value = JSON.parse(text)
        return kept + (value.order.status === 'open' && value.reading > 10 ? 1 : 0)
      }, 0),
    zen: () => {
      const { evaluateExpressionSync } = zen()
      return () => parsed.reduce((kept, value) => kept + (evaluateExpressionSync(filter, value) ? 1 : 0), 0)
    },
  },
  total: stateful(total),
  average: stateful(average),
}

function stateful(source) {
  return {
    ours: () => {
      const expression = compileExpression(source, { roots: ['state'] })
      const roots = [null]
      return () => {
        for (let index = 0; index < count; index++) {
          if (index % steps === 0) roots[0] = null
          roots[0] = expression.evaluate(messages[index], roots)
        }
        return roots[0]
      }
    },
    zen: () => {
      const { evaluateExpressionSync } = zen()
      return () => {
        let state = null
        for (let index = 0; index < count; index++) {
          if (index % steps === 0) state = null
          parsed[index].state = state
          state = evaluateExpressionSync(source, parsed[index])
        }
        return state
      }
    },
  }
}

const round = programs[name][side]()
let best = Number.POSITIVE_INFINITY
let result
for (let rounds = 0; rounds < (side === 'zen' ? 7 : 40); rounds++) {
  const start = process.hrtime.bigint()
  result = round()
  best = Math.min(best, Number(process.hrtime.bigint() - start) / count)
}
if (result === undefined) throw new Error('nothing was computed')
console.log(JSON.stringify({ nanoseconds: best }))
