import type { Num } from '../number/decimal.ts'
import { fromDoubleAsReference } from '../number/power.ts'

/**
 * 1 for equal texts, 0 where every character differs: the Damerau-Levenshtein distance by the longer length, in
 * characters. Takes time and memory by the product of the lengths.
 */
export function similarity(a: readonly string[], b: readonly string[]): Num {
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 1 : fromDoubleAsReference(1 - damerauLevenshtein(a, b) / longer)
}

/**
 * The fewest insertions, deletions, replacements and swaps of neighbours, where what was swapped may be edited again
 * (Lowrance and Wagner, 1975).
 */
function damerauLevenshtein(a: readonly string[], b: readonly string[]): number {
  const width = b.length + 2
  const most = a.length + b.length
  const costs = new Uint32Array((a.length + 2) * width)
  costs[0] = most
  for (let row = 0; row <= a.length; row++) {
    costs[(row + 1) * width] = most
    costs[(row + 1) * width + 1] = row
  }
  for (let column = 0; column <= b.length; column++) {
    costs[column + 1] = most
    costs[width + column + 1] = column
  }
  // The last row in which each character of `a` stood.
  const lastRows = new Map<string, number>()
  for (let row = 1; row <= a.length; row++) {
    let lastMatch = 0
    for (let column = 1; column <= b.length; column++) {
      const matchRow = lastRows.get(b[column - 1] as string) ?? 0
      const matchColumn = lastMatch
      const same = a[row - 1] === b[column - 1]
      if (same) lastMatch = column
      const replaced = (costs[row * width + column] as number) + (same ? 0 : 1)
      const inserted = (costs[(row + 1) * width + column] as number) + 1
      const deleted = (costs[row * width + column + 1] as number) + 1
      const swapped =
        (costs[matchRow * width + matchColumn] as number) +
        (row - matchRow - 1) +
        1 +
        (column - matchColumn - 1)
      costs[(row + 1) * width + column + 1] = Math.min(replaced, inserted, deleted, swapped)
    }
    lastRows.set(a[row - 1] as string, row)
  }
  return costs[(a.length + 1) * width + b.length + 1] as number
}
