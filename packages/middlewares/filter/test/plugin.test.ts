import { noCapabilities } from '@mqb/core'
import { ConfigError, createRegistry, planEndpoint } from '@mqb/core/config'
import { createReferenceConnector } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { filterConfig } from '../src/index.ts'
import { definition } from './world.ts'

const registry = createRegistry({ plugins: [plugin, createReferenceConnector().plugin] })

function problemsOf(filter: unknown) {
  try {
    planEndpoint({ reference: { channel: 'a' }, middlewares: [{ filter }] }, 'input', registry)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ where, code, what }) => `${where} ${code} ${what}`)
  }
}

describe('the configuration of a filter', () => {
  it('is an expression, or a map with one', () => {
    expect(problemsOf('amount > 100')).toEqual([])
    expect(problemsOf({ expression: 'amount > 100' })).toEqual([])
    expect(problemsOf({ expression: 'a && !(b == null) || meta["x-y"] != "z"', on_error: 'drop' })).toEqual(
      [],
    )
    expect(filterConfig.parse({ expression: 'a' })).toEqual({ expression: 'a', on_error: 'fail' })
  })

  it('names every mistake of the expression with its place', () => {
    const where = 'input.middlewares[0].filter'
    expect(problemsOf('lenght(a) > 1 and\n upppper(b) == "x"')).toEqual([
      expect.stringContaining(`${where} MQB_EXPRESSION_INVALID line 1, column 1 of the expression`),
      expect.stringContaining(`${where} MQB_EXPRESSION_INVALID line 2, column 2 of the expression`),
    ])
    expect(problemsOf({ expression: 'a >' })[0]).toContain(`${where}.expression MQB_EXPRESSION_INVALID`)
    expect(problemsOf('  ')[0]).toContain('the expression is empty')
  })

  it.each(['items[0].qty > 1', 'items[0] == 1', 'a.b[2].c == 1', '$root.items[0] == 1', 'items[a] == 1'])(
    'refuses an indexed payload path: %s',
    text => {
      expect(problemsOf(text)).toEqual([expect.stringContaining('indexed payload path')])
    },
  )

  it('refuses what is no expression and what it does not know', () => {
    expect(problemsOf({})).toHaveLength(1)
    expect(problemsOf({ expression: 'a', on_eror: 'drop' })).toHaveLength(1)
    expect(problemsOf({ expression: 'a', on_error: 'ignore' })).toHaveLength(1)
    expect(problemsOf(['a'])).toHaveLength(1)
    expect(problemsOf(null)).toHaveLength(1)
  })
})

describe('what a filter changes', () => {
  const config = 'true'
  const context = (side: 'input' | 'output') => ({ side, concurrency: 1 })

  it('is that messages may be missing, on both sides', () => {
    for (const side of ['input', 'output'] as const)
      expect(definition.changes!(noCapabilities, config, context(side)).keepsAll).toBe(false)
  })

  it('is that an output does not always answer', () => {
    const answers = { ...noCapabilities, replies: 'yes' as const }
    expect(definition.changes!(answers, config, context('output')).replies).toBe('depends')
    expect(definition.changes!(answers, config, context('input')).replies).toBe('yes')
    expect(definition.changes!(noCapabilities, config, context('output')).replies).toBe('no')
  })
})
