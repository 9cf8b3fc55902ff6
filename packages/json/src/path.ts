/** One step of a path: a member of an object by name, or an element of an array by index. */
export type PathStep = string | number

/**
 * Reads a dotted path: `order.items[0].sku`, with an optional leading `$.` or `$`. The empty path and `$` mean the whole
 * document. Names have no quoting: one that holds a dot or a bracket cannot be written.
 *
 * @throws {SyntaxError} saying what is wrong and where, counted in characters from 0.
 */
export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = []
  let at = path.startsWith('$') && (path.length === 1 || path[1] === '.' || path[1] === '[') ? 1 : 0
  if (at === 1 && path[1] === '.') at = 2
  if (at === path.length) {
    if (at === 2) throw pathError(path, at, 'a name is missing')
    return steps
  }
  let expectsName = path[at] !== '['
  while (at < path.length) {
    if (path[at] === '[') {
      const close = path.indexOf(']', at)
      const digits = close < 0 ? '' : path.slice(at + 1, close)
      if (!/^(0|[1-9]\d{0,8})$/.test(digits)) throw pathError(path, at, 'an index such as [0] is expected')
      steps.push(Number(digits))
      at = close + 1
      expectsName = false
    } else {
      if (!expectsName) {
        if (path[at] !== '.') throw pathError(path, at, 'a . or [ is expected')
        at++
      }
      const end = nameEnd(path, at)
      if (end === at) throw pathError(path, at, 'a name is missing')
      if (path[end] === ']') throw pathError(path, end, 'a ] without [')
      steps.push(path.slice(at, end))
      at = end
      expectsName = false
    }
  }
  return steps
}

function nameEnd(path: string, from: number): number {
  let end = from
  while (end < path.length && path[end] !== '.' && path[end] !== '[' && path[end] !== ']') end++
  return end
}

function pathError(path: string, at: number, what: string): SyntaxError {
  return new SyntaxError(`the path ${JSON.stringify(path)} can not be read at character ${at}: ${what}`)
}
