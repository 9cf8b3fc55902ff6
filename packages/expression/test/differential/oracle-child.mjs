// Answers expressions with the reference engine: one JSON line in, one JSON line out. The engine ends the whole process
// where a computation overflows, which is why it runs in one of its own.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import zen from '@gorules/zen-engine'

for await (const line of createInterface({ input: process.stdin })) {
  const { expression, input } = JSON.parse(line)
  let answer
  try {
    answer = { value: zen.evaluateExpressionSync(expression, input) ?? null }
  } catch (error) {
    answer = { error: String(error.message).split('\n', 1)[0] }
  }
  writeSync(1, `${JSON.stringify(answer)}\n`)
}
