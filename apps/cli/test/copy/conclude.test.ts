import { MqbError } from '@mqb/core'
import type { RouteCounts, RouteResult } from '@mqb/core/runtime'
import { describe, expect, it } from 'vitest'
import { conclude } from '../../src/copy/conclude.ts'

const error = new MqbError({ kind: 'permanent', code: 'MQB_X', what: 'bad' })

function result(
  outcome: RouteResult['outcome'],
  counts: Partial<RouteCounts>,
  rest: Partial<RouteResult> = {},
): RouteResult {
  const none = {
    in: 0,
    delivered: 0,
    handled: 0,
    filtered: 0,
    duplicates: 0,
    joined: 0,
    deadLettered: 0,
    dropped: 0,
    returned: 0,
    inFlight: 0,
  }
  return { outcome, counts: { ...none, ...counts }, abandoned: 0, elapsedMs: 500, ...rest }
}

describe('the end of a copy', () => {
  it('that went well is a summary; a redelivery was read once', () => {
    expect(conclude(result('completed', { in: 12, returned: 2, delivered: 10 }), false)).toEqual({
      summary: 'copied 10 rows in 500ms (20 rows/s)',
      code: 0,
    })
  })

  it('counts what was left out on purpose', () => {
    const counts = { in: 10, delivered: 4, filtered: 3, duplicates: 1, joined: 1, handled: 1 }
    expect(conclude(result('completed', counts), false).summary).toBe(
      'copied 4 of 10 rows in 500ms (20 rows/s)',
    )
  })

  it('by a signal says so', () => {
    expect(conclude(result('stopped', { in: 3, delivered: 3 }), false)).toEqual({
      summary: 'stopped after copying 3 rows in 500ms (6 rows/s)',
      code: 0,
    })
  })

  it('by a signal that cut sends short is a summary and a problem', () => {
    const cut = result('stopped', { in: 3, delivered: 1, returned: 2 }, { abandoned: 2 })
    expect(conclude(cut, false)).toEqual({
      summary: 'stopped after copying 1 rows in 500ms (2 rows/s)',
      problem: '2 rows had no answer from the target when the time was over; the source has them still',
      code: 1,
    })
  })

  it('with losses or a failure is a problem only', () => {
    expect(conclude(result('completed', { in: 3, delivered: 2, dropped: 1 }, { error }), false)).toEqual({
      problem: 'read 3 rows, delivered 2: 1 lost; last cause: MQB_X: bad',
      code: 1,
    })
    expect(conclude(result('failed', { in: 3, delivered: 2, returned: 1 }, { error }), false)).toEqual({
      problem: 'failed after copying 2 rows: MQB_X: bad',
      code: 1,
    })
  })

  it('because the reader of stdout went away is no failure', () => {
    expect(conclude(result('failed', { in: 3, delivered: 2, returned: 1 }, { error }), true)).toEqual({
      summary: 'stopped after copying 2 rows in 500ms (4 rows/s)',
      code: 0,
    })
  })
})
