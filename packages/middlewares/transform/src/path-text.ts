import type { PathStep } from '@mqb/json'

/** A place in a document, as errors spell it: `$.items[1]['price.usd']`. */
export function pathText(steps: readonly PathStep[]): string {
  let text = '$'
  for (const step of steps) {
    if (typeof step === 'number') text += `[${step}]`
    else if (isPlain(step)) text += `.${step}`
    else text += `['${escaped(step)}']`
  }
  return text
}

const isPlain = (name: string): boolean => /^[\p{L}\p{N}_$@-]+$/u.test(name)

const escaped = (name: string): string =>
  JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
