import { describe, expect, it } from 'vitest'
import { errorCodes, memoryError } from '../src/errors.ts'

describe('the table of errors', () => {
  it('says for each code what it means and what to do', () => {
    for (const [code, { meaning, mend }] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^MQB_(MEMORY_[A-Z_]+|POSITION_LOST)$/)
      expect(meaning).toMatch(/\.$/)
      expect(mend).toMatch(/\.$/)
    }
  })

  it('gives errors their kind and their mend', () => {
    const cause = new Error('connect ENOENT')
    const error = memoryError('MQB_MEMORY_IPC_NO_CONSUMER', 'cannot connect', { cause })
    expect(error).toMatchObject({ kind: 'connection', code: 'MQB_MEMORY_IPC_NO_CONSUMER', cause })
    expect(error.mend).toBe(errorCodes.MQB_MEMORY_IPC_NO_CONSUMER.mend)
  })
})
