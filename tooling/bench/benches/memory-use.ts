import { join } from 'node:path'
import { timedCopy } from '../copy.ts'
import { jsonLinesFile } from '../data.ts'
import { type BenchCase, defineBench, type Measurement, type RunContext } from '../define.ts'

const small = 3_000_000
const large = 10_000_000

async function peak(context: RunContext, lines: number): Promise<Measurement> {
  const input = jsonLinesFile(context.folder, context.count(lines))
  const { rssMb } = await timedCopy(input, join(context.folder, 'out.jsonl'), 4096)
  return { value: rssMb, rssMb }
}

const cases: readonly BenchCase[] = [
  {
    name: 'memory-use-10M',
    unit: 'MiB',
    lowerIsBetter: true,
    rssAtMost: 160,
    // The same copy with a third of the lines: memory does not grow with the file.
    atLeast: 0.9,
    ours: context => peak(context, large),
    reference: context => peak(context, small),
  },
]

export default defineBench({
  summary: 'peak memory of mqb copy with 10 M JSON lines, against the same with 3 M',
  prepare(context) {
    jsonLinesFile(context.folder, context.count(small))
    jsonLinesFile(context.folder, context.count(large))
  },
  cases,
})
