/**
 * The name that was probably meant: the same word in other case or with other separators, one that a few slips of the
 * fingers away (insert, delete, replace, swap two neighbours), or one that begins with what was written.
 */
export function suggest(written: string, names: Iterable<string>): string | undefined {
  const wanted = fold(written)
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  const begun: string[] = []
  for (const name of names) {
    const folded = fold(name)
    if (folded === wanted) return name
    const distance = nearness(wanted, folded, bestDistance)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
    if (wanted.length >= 3 && folded.startsWith(wanted)) begun.push(name)
  }
  return best ?? (begun.length === 1 ? begun[0] : undefined)
}

/** A name of several words may also be meant by its last ones: `attempts` by `max_attempts`. */
function nearness(wanted: string, name: string, bound: number): number {
  let best = editDistance(wanted, name, bound)
  if (wanted.length < 4) return best
  for (let at = name.indexOf('_'); at >= 0; at = name.indexOf('_', at + 1)) {
    best = Math.min(best, editDistance(wanted, name.slice(at + 1), bound) + 0.5)
  }
  return best
}

/** `did you mean "topic"?`, or what there is to choose from. */
export function suggestionText(written: string, names: readonly string[], noun = 'keys'): string {
  const meant = suggest(written, names)
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`
  if (names.length === 0) return `there are no ${noun} here: remove it`
  const shown = [...names].sort()
  if (shown.length > 20) return `remove it, or look up the ${noun} in the reference`
  return `known ${noun}: ${shown.join(', ')}`
}

/** A name without what its spelling does not matter for: case, and which separator stands between words. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

/** Restricted Damerau-Levenshtein distance; anything from `bound` on comes back as `bound`. */
export function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1)
      }
      current.push(cost)
    }
    before = previous
    previous = current
  }
  return Math.min(previous[b.length]!, bound)
}
