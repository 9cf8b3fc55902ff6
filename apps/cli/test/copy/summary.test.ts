import { describe, expect, it } from 'vitest'
import {
  type CopyCounts,
  failureLine,
  formatDuration,
  groupDigits,
  lossLine,
  summaryLine,
} from '../../src/copy/summary.ts'

const counts = (given: Partial<CopyCounts>): CopyCounts => ({
  read: 0,
  delivered: 0,
  deadLettered: 0,
  leftOut: 0,
  lost: 0,
  ...given,
})

describe('the summary', () => {
  it('of a drained copy says rows, time and rows read in a second', () => {
    expect(summaryLine(counts({ read: 1_000_000, delivered: 1_000_000 }), 2_340, false)).toBe(
      'copied 1_000_000 rows in 2.34s (427_350 rows/s)',
    )
  })

  it('counts those that were read when some were left out', () => {
    expect(summaryLine(counts({ read: 1_000_000, delivered: 333_495, leftOut: 666_505 }), 2_000, false)).toBe(
      'copied 333_495 of 1_000_000 rows in 2.00s (500_000 rows/s)',
    )
  })

  it('says that it was stopped', () => {
    expect(summaryLine(counts({ read: 12_000, delivered: 12_000 }), 100, true)).toBe(
      'stopped after copying 12_000 rows in 100ms (120_000 rows/s)',
    )
  })

  it('counts dead letters', () => {
    expect(summaryLine(counts({ read: 1_000, deadLettered: 1_000 }), 1_000, false)).toBe(
      'copied 0 rows, dead-lettered 1_000 in 1.00s (1_000 rows/s)',
    )
  })

  it('of nothing in no time divides by nothing', () => {
    expect(summaryLine(counts({}), 0, false)).toBe('copied 0 rows in 0ms (0 rows/s)')
  })

  it('of a copy that lost or failed names the cause', () => {
    expect(lossLine(counts({ read: 10, delivered: 7, lost: 3 }), 'bad row')).toBe(
      'read 10 rows, delivered 7: 3 lost; last cause: bad row',
    )
    expect(failureLine(counts({ read: 10, delivered: 7, deadLettered: 2 }), 'gone')).toBe(
      'failed after copying 7 rows (and dead-lettering 2): gone',
    )
  })
})

describe('numbers', () => {
  it('are grouped by three', () => {
    expect([0, 999, 1_000, 12_345, 1_234_567].map(groupDigits)).toEqual([
      '0',
      '999',
      '1_000',
      '12_345',
      '1_234_567',
    ])
  })

  it('of time are whole milliseconds below a second, then hundredths', () => {
    expect([0.4, 523.4, 999.4, 999.6, 1_000, 75_124].map(formatDuration)).toEqual([
      '0ms',
      '523ms',
      '999ms',
      '1.00s',
      '1.00s',
      '75.12s',
    ])
  })
})
