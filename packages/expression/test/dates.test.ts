import { describe, expect, it } from 'vitest'
import { EvaluationError } from '../src/index.ts'
import { run } from './support/documents.ts'

describe('the present', () => {
  const host = { now: () => Date.UTC(2026, 2, 1, 23, 30, 15, 250) }

  it('is that of the given clock', () => {
    expect(run("[d().timestamp(), d('UTC'), d('Asia/Tokyo')]", {}, {}, { host })).toBe(
      '[1772407815250,"2026-03-01T23:30:15Z","2026-03-02T08:30:15+09:00"]',
    )
    expect(run("[date('now'), time('now'), year('now')]", {}, {}, { host })).toBe('[1772407815,84615,2026]')
  })

  it('decides about yesterday, today and tomorrow', () => {
    const days = "map([-2, -1, 0, 1, 2], d().add(#, 'd'))"
    expect(run(`map(${days}, [#.isYesterday(), #.isToday(), #.isTomorrow()])`, {}, {}, { host })).toBe(
      '[[false,false,false],[true,false,false],[false,true,false],[false,false,true],[false,false,false]]',
    )
  })
})

describe('time zones', () => {
  it.each([
    ["d('2024-03-31 02:30', 'Europe/Berlin')", 'Invalid date'],
    ["d('2024-10-27 02:30', 'Europe/Berlin')", '2024-10-27T02:30:00+02:00'],
    ["d('2024-10-27 01:30', 'Europe/Berlin').add('1d')", '2024-10-28T00:30:00+01:00'],
    ["d('2024-07-01', 'Australia/Lord_Howe')", '2024-07-01T00:00:00+10:30'],
    ["d('1900-01-01', 'America/New_York').tz('UTC')", '1900-01-01T05:00:00Z'],
    ["d('2024-01-15 12:00', 'Europe/Berlin').format('%Z %z %:z')", 'CET +0100 +01:00'],
    ["d('2024-07-15 12:00', 'America/Los_Angeles').format('%H:%M %Z')", '12:00 PDT'],
    ["d('2024-07-15 12:00', 'America/Sao_Paulo').format('%Z')", '-03'],
    ["d('2023-03-31T10:11:12.5Z', 'UTC').format()", '2023-03-31 10:11:12.500 UTC'],
  ])('%s is %s', (source, text) => {
    expect(run(source)).toBe(JSON.stringify(text))
  })

  it.each([
    [
      "d('2024-01-01', 'europe/berlin')",
      'line 1, column 1: d: there is no time zone "europe/berlin"; write a name such as Europe/Berlin or UTC',
    ],
    [
      "d('2024-01-01').tz('+02:00')",
      'line 1, column 17: tz: there is no time zone "+02:00"; write a name such as Europe/Berlin or UTC',
    ],
    [
      "d('2024-01-01').add(1, 'fortnight')",
      'line 1, column 17: add: there is no unit "fortnight"; write second, minute, hour, day, week, month, quarter or year',
    ],
    [
      "d('2024-01-01').add('-1d')",
      'line 1, column 17: add: a duration is a number and a unit, such as 1d or 2h 30min; write a duration such as 1d or 2h 30min',
    ],
    [
      "d('2024-01-01').format('%Q')",
      'line 1, column 17: format: there is no "%Q" in a form of a date; write one such as %Y-%m-%d %H:%M:%S',
    ],
    ['name.year()', 'line 1, column 6: year: a date is expected, not a text; make one with d(…)'],
  ])('%s says what is wrong', (source, message) => {
    expect(() => run(source, { name: 'x' })).toThrow(EvaluationError)
    expect(() => run(source, { name: 'x' })).toThrow(message)
  })
})

describe('dates that do not exist', () => {
  it('are invalid, and so is what is computed with them', () => {
    expect(
      run(
        "map([d('2023-02-30'), d('x').add('1d'), d('2024-02-29').add('1y'), d(null)], [#.isValid(), #.year(), #])",
      ),
    ).toBe(
      '[[false,null,"Invalid date"],[false,null,"Invalid date"],[false,null,"Invalid date"],[false,null,"Invalid date"]]',
    )
  })
})
