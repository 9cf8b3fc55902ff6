import { afterAll, expect, it } from 'vitest'
import { type Mismatch, mismatch } from './compare.ts'
import { Generator } from './generate.ts'
import { generateInput } from './input.ts'
import { Oracle } from './oracle.ts'
import { randomFrom } from './random.ts'

// A full run: MQB_EXPRESSION_FUZZ=200000 pnpm unit packages/expression/test/differential
const count = Number(process.env.MQB_EXPRESSION_FUZZ ?? 3000)
const seed = Number(process.env.MQB_EXPRESSION_FUZZ_SEED ?? 20_260_301)
const batchSize = 500

const oracle = new Oracle()
afterAll(() => oracle.close())

it(
  `answers ${count} generated expressions as the reference does, but for the differences that are listed`,
  async () => {
    const random = randomFrom(seed)
    const generator = new Generator(random)
    const found: Mismatch[] = []
    let answered = 0
    for (let done = 0; done < count; done += batchSize) {
      const questions = Array.from({ length: Math.min(batchSize, count - done) }, () => ({
        expression: generator.expression(),
        input: generateInput(random),
      }))
      const answers = await oracle.ask(questions)
      for (const [index, question] of questions.entries()) {
        const answer = answers[index]
        if (answer === undefined) throw new Error('the reference owes an answer')
        if ('value' in answer) answered++
        const difference = mismatch(question, answer)
        if (difference !== undefined) found.push(difference)
      }
    }
    expect(found.slice(0, 20)).toEqual([])
    // Expressions that both refuse say little.
    expect(answered).toBeGreaterThan(count / 2)
  },
  60_000 + count,
)
