import { describe, expect, it } from 'vitest'
import { compareCodes } from '../error-codes.ts'

const entry = { kind: 'permanent', meaning: '', mend: '' } as const
const source = (text: string) => [{ path: 'errors.ts', text }]

describe('the gate of error codes', () => {
  it('is content when sources and table agree', () => {
    expect(compareCodes(source("code: 'MQB_A'"), { MQB_A: entry }, {})).toEqual([])
  })

  it('names a code that is in no table, and an entry that nothing uses', () => {
    expect(compareCodes(source("code: 'MQB_A'"), { MQB_B: entry }, {})).toEqual([
      expect.stringContaining('MQB_A in src/errors.ts is in no table'),
      expect.stringContaining('errorCodes has MQB_B'),
    ])
  })

  it('lets a package use the codes of core', () => {
    expect(compareCodes(source("code: 'MQB_CLOSED'"), {}, { MQB_CLOSED: entry })).toEqual([])
  })

  it('does not take variables of the environment for codes', () => {
    expect(compareCodes(source("env['MQB_PORT'] ?? env.MQB_HOST; 'MQB__ROUTE__BATCH_SIZE'"), {}, {})).toEqual(
      [],
    )
  })
})
