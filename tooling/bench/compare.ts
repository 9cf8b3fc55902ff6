import type { BenchCase, Measurement, RunContext } from './define.ts'

/** What is printed about a case, and what `--json` prints. */
export interface BenchResult {
  readonly name: string
  readonly ours: number
  readonly reference: number | null
  /** Above 1: ours is better. */
  readonly ratio: number | null
  readonly unit: string
  /** Peak of our runs; null where it was not measured. */
  readonly rss_mb: number | null
}

export interface Comparison {
  readonly result: BenchResult
  readonly ours: readonly Measurement[]
  readonly reference: readonly Measurement[]
}

/** Runs both sides in turns, so that a slow spell of the machine meets both, and takes the median of each. */
export async function compare(each: BenchCase, context: RunContext): Promise<Comparison> {
  const ours: Measurement[] = []
  const reference: Measurement[] = []
  for (let run = 0; run < (each.runs ?? 3); run++) {
    ours.push(await each.ours(context))
    if (each.reference !== undefined) reference.push(await each.reference(context))
  }
  return { result: summarize(each, ours, reference), ours, reference }
}

export function summarize(
  each: Pick<BenchCase, 'name' | 'unit' | 'lowerIsBetter'>,
  ours: readonly Measurement[],
  reference: readonly Measurement[],
): BenchResult {
  const our = median(ours.map(run => run.value))
  const their = reference.length === 0 ? null : median(reference.map(run => run.value))
  const peaks = ours.flatMap(run => (run.rssMb === undefined ? [] : [run.rssMb]))
  return {
    name: each.name,
    ours: significant(our),
    reference: their === null ? null : significant(their),
    ratio: their === null ? null : significant(each.lowerIsBetter === true ? their / our : our / their),
    unit: each.unit,
    rss_mb: peaks.length === 0 ? null : Math.round(Math.max(...peaks)),
  }
}

/** The middle one; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('there is no median of nothing')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Four digits tell all that a benchmark knows. */
function significant(value: number): number {
  return Number(value.toPrecision(4))
}
