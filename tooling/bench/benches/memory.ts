import { fileURLToPath } from 'node:url'
import { runForResult } from '../child.ts'
import { type BenchCase, defineBench, type Measurement, type RunContext } from '../define.ts'

const program = fileURLToPath(new URL('../programs/memory.mjs', import.meta.url))

async function measure(
  side: 'ours' | 'floor',
  batchSize: number,
  full: number,
  context: RunContext,
): Promise<Measurement> {
  const { result, rssMb } = await runForResult<{ nsPerMessage: number }>([
    '--max-semi-space-size=64',
    program,
    side,
    String(batchSize),
    String(context.count(full)),
  ])
  return { value: result.nsPerMessage, rssMb }
}

function caseOf(batchSize: number, full: number): BenchCase {
  return {
    name: `memory-${batchSize}`,
    unit: 'ns/message',
    lowerIsBetter: true,
    ours: context => measure('ours', batchSize, full, context),
    reference: context => measure('floor', batchSize, full, context),
  }
}

export default defineBench({
  summary:
    'memory to memory through three middlewares that do nothing, against arrays and three async functions',
  cases: [caseOf(1, 300_000), caseOf(64, 1_000_000), caseOf(512, 1_000_000), caseOf(4096, 1_000_000)],
})
