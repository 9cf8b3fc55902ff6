import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyRate, referenceRate } from '../copy.ts'
import { csvFile } from '../data.ts'
import { type BenchCase, defineBench, type RunContext } from '../define.ts'

const program = fileURLToPath(new URL('../programs/csv-reference.mjs', import.meta.url))

const input = (context: RunContext): string => csvFile(context.folder, context.count(1_000_000))

function caseOf(parser: 'csv-parse' | 'papaparse', atLeast: number): BenchCase {
  return {
    name: `csv-${parser}`,
    unit: 'rows/s',
    atLeast,
    ours: context => copyRate(input(context), join(context.folder, 'ours.jsonl'), 4096),
    reference: context => {
      const output = join(context.folder, 'reference.jsonl')
      return referenceRate([program, parser, input(context), output], output)
    },
  }
}

export default defineBench({
  summary: 'CSV to JSON lines by mqb copy, against csv-parse and papaparse with JSON.stringify',
  prepare: context => void input(context),
  cases: [caseOf('csv-parse', 6), caseOf('papaparse', 2)],
})
