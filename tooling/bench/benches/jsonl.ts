import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyRate, referenceRate } from '../copy.ts'
import { jsonLinesFile } from '../data.ts'
import { type BenchCase, defineBench, type RunContext } from '../define.ts'

const floor = fileURLToPath(new URL('../programs/lines-floor.mjs', import.meta.url))

const input = (context: RunContext): string => jsonLinesFile(context.folder, context.count(3_000_000))

function caseOf(batchSize: number, atLeast?: number): BenchCase {
  return {
    name: `jsonl-${batchSize}`,
    unit: 'lines/s',
    runs: 5,
    ...(atLeast === undefined ? {} : { atLeast }),
    ours: context => copyRate(input(context), join(context.folder, 'ours.jsonl'), batchSize),
    reference: context => {
      const output = join(context.folder, 'reference.jsonl')
      return referenceRate([floor, input(context), output], output)
    },
  }
}

export default defineBench({
  summary: 'JSON lines to JSON lines by mqb copy, against a program that only cuts lines and writes them',
  prepare: context => void input(context),
  cases: [caseOf(4096, 0.7), caseOf(1024), caseOf(512)],
})
