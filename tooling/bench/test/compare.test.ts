import { describe, expect, it } from 'vitest'
import { compare, median, summarize } from '../compare.ts'

const context = { folder: '', count: (full: number) => full }

describe('compare', () => {
  it('runs both sides in turns and takes the median of each', async () => {
    const order: string[] = []
    const values = { ours: [10, 30, 20], reference: [5, 5, 50] }
    const { result } = await compare(
      {
        name: 'x',
        unit: 'rows/s',
        ours: async () => {
          order.push('ours')
          return { value: values.ours.shift() ?? 0, rssMb: 40 + order.length }
        },
        reference: async () => {
          order.push('reference')
          return { value: values.reference.shift() ?? 0 }
        },
      },
      context,
    )
    expect(order).toEqual(['ours', 'reference', 'ours', 'reference', 'ours', 'reference'])
    expect(result).toEqual({ name: 'x', ours: 20, reference: 5, ratio: 4, unit: 'rows/s', rss_mb: 45 })
  })

  it('turns the ratio around where less is better', () => {
    const result = summarize(
      { name: 'x', unit: 'ns', lowerIsBetter: true },
      [{ value: 50 }],
      [{ value: 100 }],
    )
    expect(result.ratio).toBe(2)
  })

  it('says null where nothing was measured', () => {
    expect(summarize({ name: 'x', unit: 'ns' }, [{ value: 50 }], [])).toEqual({
      name: 'x',
      ours: 50,
      reference: null,
      ratio: null,
      unit: 'ns',
      rss_mb: null,
    })
  })
})

describe('median', () => {
  it('is the middle one, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  it('refuses an empty list', () => {
    expect(() => median([])).toThrow(RangeError)
  })
})
