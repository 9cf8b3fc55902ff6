/** A key of a map or an index of a list. */
export type PathPart = string | number

/** `orders.output.middlewares[1].dlq`; a key with a dot or a bracket in it is quoted. */
export function formatPath(path: readonly PathPart[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (/^[^\s.[\]"]+$/.test(part)) text += text === '' ? part : `.${part}`
    else text += `[${JSON.stringify(part)}]`
  }
  return text
}
