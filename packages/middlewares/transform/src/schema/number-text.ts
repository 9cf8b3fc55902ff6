const numberShape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/**
 * The JSON number that a text stands for, digit for digit: an optional sign, digits, a fraction and an exponent. What
 * JSON does not allow is left out: a plus sign, leading zeros, a point without digits on both sides.
 *
 * @param whole only digits with a sign are read.
 * @returns `undefined` for any other text, as `NaN`, `0x1F`, ` 1` or the empty one.
 */
export function numberTextOf(text: string, whole: boolean): string | undefined {
  if (whole) {
    if (!/^[+-]?\d+$/.test(text)) return undefined
  } else if (!/\d/.test(text)) return undefined
  const match = numberShape.exec(text)
  if (match === null) return undefined
  const [, sign, digits = '', fraction, exponent] = match
  if (digits === '' && (fraction ?? '') === '') return undefined
  const integer = digits.replace(/^0+(?=\d)/, '') || '0'
  return `${sign === '-' ? '-' : ''}${integer}${fraction ? `.${fraction}` : ''}${exponent === undefined ? '' : `e${exponent}`}`
}

/** Whether the checked JSON number at `start` to `end` is whole: `7`, `1.0` and `1e2`, not `1.5`. */
export function isWhole(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  while (at < end && ((bytes[at] as number) >= 0x30 || bytes[at] === 0x2d)) {
    if ((bytes[at] as number) > 0x39) break
    at++
  }
  if (at === end) return true
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(bytes.toString('latin1', start, end)) ?? []
  const places = fraction.replace(/0+$/, '').length
  if (places > 0) return Number(exponent) >= places
  const zeros = whole.length - whole.replace(/0+$/, '').length
  return Number(exponent) >= -zeros || /^0+$/.test(whole)
}

/** Whether `bytes[start, end)` is a number as JSON writes it, without an exponent and, if `whole`, without a fraction. */
export function isPlainNumber(bytes: Buffer, start: number, end: number, whole: boolean): boolean {
  let at = bytes[start] === 0x2d ? start + 1 : start
  if (at >= end) return false
  if (bytes[at] === 0x30) at++
  else at = digitsEnd(bytes, at, end)
  if (at === end) return bytes[at - 1] !== 0x2d
  if (whole || bytes[at] !== 0x2e || at === start || bytes[at - 1] === 0x2d) return false
  const fraction = at + 1
  return fraction < end && digitsEnd(bytes, fraction, end) === end
}

function digitsEnd(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++
  return at
}
