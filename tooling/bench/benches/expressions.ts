import { fileURLToPath } from 'node:url'
import { runForResult } from '../child.ts'
import { type BenchCase, defineBench, type Measurement, type RunContext } from '../define.ts'

const program = fileURLToPath(new URL('../programs/expressions.mjs', import.meta.url))

async function measure(name: string, side: string, context: RunContext): Promise<Measurement> {
  const count = String(context.count(4000))
  const { result, rssMb } = await runForResult<{ nanoseconds: number }>([program, name, side, count])
  return { value: result.nanoseconds, rssMb }
}

function caseOf(name: string, reference: 'parse' | 'zen', atLeast: number): BenchCase {
  return {
    name: `${name}-${reference}`,
    unit: 'ns/message',
    lowerIsBetter: true,
    atLeast,
    ours: context => measure(name, 'ours', context),
    reference: context => measure(name, reference, context),
  }
}

export default defineBench({
  summary:
    'expressions on payloads of 125 bytes, against JSON.parse with a written condition and against zen-engine',
  cases: [
    caseOf('filter', 'parse', 2),
    caseOf('filter', 'zen', 15),
    caseOf('total', 'zen', 25),
    caseOf('average', 'zen', 5),
  ],
})
