import { MqbError } from '@mqb/core'
import { parseUri } from '@mqb/core/config'
import { describe, expect, it } from 'vitest'
import { testRegistry } from './support/plugins.ts'

const registry = testRegistry()
const middlewaresOf = (uri: string) =>
  (parseUri(uri, { side: 'input', registry, env: {} }) as { middlewares: unknown }).middlewares

describe('middlewares whose configuration may be a bare text, in a URI', () => {
  it('take it as value, or under their own name', () => {
    const filter = [{ filter: 'amount > 1 and b == "a=b"' }]
    expect(middlewaresOf('memory:a|filter?value=amount > 1 and b == "a=b"')).toEqual(filter)
    expect(middlewaresOf('memory:a|filter?filter=amount > 1 and b == "a=b"')).toEqual(filter)
  })

  it('take their fields as all others do', () => {
    expect(middlewaresOf('memory:a|filter?expression=amount > 1&on_error=drop')).toEqual([
      { filter: { expression: 'amount > 1', on_error: 'drop' } },
    ])
  })

  it('refuse what is neither', () => {
    expect(() => middlewaresOf('memory:a|filter?value=a&on_error=drop')).toThrow(MqbError)
    expect(() => middlewaresOf('memory:a|filter?amount > 1')).toThrow(/there is no parameter/)
  })
})
