import type { Comparison } from './compare.ts'
import type { BenchCase } from './define.ts'

const widths = [28, 12, 12, 8, 8]

const row = (cells: readonly string[], unit: string) =>
  `${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join('  ')}  ${unit}`

export const header: string = row(['', 'ours', 'reference', 'ratio', 'rss MiB'], '')

/** The figures of a case, what they must reach, and the notes of its last runs. */
export function resultLines(each: BenchCase, { result, ours, reference }: Comparison): string[] {
  const cells = [
    result.name,
    figure(result.ours),
    figure(result.reference),
    figure(result.ratio),
    figure(result.rss_mb),
  ]
  return [
    row(cells, result.unit),
    ...bars(each, result),
    ...notes('ours', ours.at(-1)?.note),
    ...notes('reference', reference.at(-1)?.note),
  ]
}

function bars(each: BenchCase, result: Comparison['result']): string[] {
  const lines: string[] = []
  if (each.atLeast !== undefined && result.ratio !== null) {
    lines.push(`  ratio at least ${each.atLeast}: ${result.ratio >= each.atLeast ? 'reached' : 'MISSED'}`)
  }
  if (each.rssAtMost !== undefined && result.rss_mb !== null) {
    lines.push(`  at most ${each.rssAtMost} MiB: ${result.rss_mb <= each.rssAtMost ? 'reached' : 'MISSED'}`)
  }
  return lines
}

const notes = (side: string, note: string | undefined) => (note === undefined ? [] : [`  ${side}: ${note}`])

const figure = (value: number | null) =>
  value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 })
