import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runForResult } from '../child.ts'
import { copyRate, referenceRate } from '../copy.ts'
import { jsonLinesFile } from '../data.ts'
import { type BenchCase, defineBench, type Measurement, type RunContext } from '../define.ts'

const program = fileURLToPath(new URL('../programs/filter.mjs', import.meta.url))
const fileProgram = fileURLToPath(new URL('../programs/filter-lines.mjs', import.meta.url))
const expression = 'order.status == "open" and reading > 10'

const input = (context: RunContext): string => jsonLinesFile(context.folder, context.count(2_000_000))

async function measure(side: 'ours' | 'parse' | 'zen', context: RunContext): Promise<Measurement> {
  const { result, rssMb } = await runForResult<{ nsPerMessage: number }>([
    '--max-semi-space-size=64',
    program,
    side,
    String(context.count(2_000_000)),
  ])
  return { value: result.nsPerMessage, rssMb }
}

function inProcess(reference: 'parse' | 'zen', atLeast: number): BenchCase {
  return {
    name: `filter-${reference}`,
    unit: 'ns/message',
    lowerIsBetter: true,
    runs: 5,
    atLeast,
    ours: context => measure('ours', context),
    reference: context => measure(reference, context),
  }
}

function throughFiles(reference: 'floor' | 'parse'): BenchCase {
  return {
    name: `filter-files-${reference}`,
    unit: 'lines/s',
    runs: 5,
    ours: context =>
      copyRate(`${input(context)}|filter?expression=${expression}`, join(context.folder, 'ours.jsonl'), 4096),
    reference: context => {
      const output = join(context.folder, 'reference.jsonl')
      return referenceRate([fileProgram, reference, input(context), output], output)
    },
  }
}

export default defineBench({
  summary:
    'filter on batches of 4096 messages against JSON.parse and zen-engine, and from file to file by mqb copy',
  prepare: context => void input(context),
  cases: [inProcess('parse', 2), inProcess('zen', 15), throughFiles('floor'), throughFiles('parse')],
})
