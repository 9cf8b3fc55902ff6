import { describe, expect, it } from 'vitest'
import { generatedNames, replaceGenerated } from '../markers.ts'

const text = 'Before\n\n<!-- generated: packages -->\nold\n<!-- /generated -->\n\nAfter\n'

describe('generated places', () => {
  it('are replaced, and nothing around them', () => {
    const once = replaceGenerated(text, 'packages', 'new\n')
    expect(once).toBe('Before\n\n<!-- generated: packages -->\n\nnew\n\n<!-- /generated -->\n\nAfter\n')
    expect(replaceGenerated(once ?? '', 'packages', 'new')).toBe(once)
  })

  it('are found by name', () => {
    expect(generatedNames(text)).toEqual(['packages'])
    expect(replaceGenerated(text, 'other', 'x')).toBeUndefined()
  })

  it('must have an end', () => {
    expect(() => replaceGenerated('<!-- generated: a -->', 'a', 'x')).toThrow('add one where')
  })
})
