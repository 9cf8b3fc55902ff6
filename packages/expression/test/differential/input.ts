import { oneOf, type Random, upTo } from './random.ts'

/** A payload with the fields that generated expressions name. */
export function generateInput(random: Random): Record<string, unknown> {
  const number = () => (upTo(random, 4000) - 2000) / oneOf(random, [1, 1, 1, 10, 100, 1000])
  const word = () =>
    oneOf(random, ['', 'a', 'abc', 'Hello, World!', '12', '-1.5', 'grün', 'A B', '2023-10-15', 'x,y,z', '😀'])
  const many = <T>(make: () => T) => Array.from({ length: upTo(random, 4) }, make)
  return {
    n: number(),
    price: number(),
    s: word(),
    name: word(),
    t: random() < 0.5,
    f: false,
    nil: null,
    list: many(number),
    none: [],
    words: many(word),
    rows: many(() => ({ qty: upTo(random, 9), sku: word(), tags: many(word) })),
    o: { count: number(), label: word(), open: random() < 0.5, list: many(number), 'a b': word() },
    deep: { a: { b: { c: number() } } },
  }
}
