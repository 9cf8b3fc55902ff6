// Below this, a loop is faster than a call that copies.
const shortest = 48

/** Copies `source[from, to)` to `target` at `at`, and returns one past the last byte. */
export function copyBytes(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  if (to - from > shortest) return at + source.copy(target, at, from, to)
  let write = at
  for (let read = from; read < to; read++) target[write++] = source[read] as number
  return write
}
