import { describe, expect, it } from 'vitest'
import { relativeLinks } from '../links.ts'

describe('the gate of links', () => {
  it('follows links to files, whatever their anchor', () => {
    expect(relativeLinks('[a](docs/a.md) [`b`](../b.md#part) [c](#here) [d](https://example.com/d)')).toEqual(
      ['docs/a.md', '../b.md'],
    )
  })

  it('takes no code for a link', () => {
    expect(relativeLinks('`[a](b)`\n\n```ts\nconst x = [a](b)\n```\n')).toEqual([])
  })
})
