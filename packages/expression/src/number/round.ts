import {
  bigOf,
  bigPowers,
  fromBig,
  isNegative,
  mantissaLimit,
  maxScale,
  type Num,
  scaleOf,
} from './decimal.ts'

/** To `places` digits after the point, halves away from zero. One with fewer digits stays as it is. */
export function round(value: Num, places: number): Num {
  return dropped(value, places, (size, unit) => (size + unit / 2n) / unit)
}

/** Cut to `places` digits after the point, or filled up with zeros as far as they fit. */
export function truncate(value: Num, places: number): Num {
  const wanted = Math.min(places, maxScale)
  if (scaleOf(value) >= wanted) return dropped(value, wanted, (size, unit) => size / unit)
  let mantissa = bigOf(value)
  let scale = scaleOf(value)
  while (scale < wanted && mantissa * 10n < mantissaLimit && -mantissa * 10n < mantissaLimit) {
    mantissa *= 10n
    scale++
  }
  return fromBig(mantissa, scale)
}

export function floor(value: Num): Num {
  if (typeof value === 'number') return value
  return isNegative(value) ? dropped(value, 0, roundUp) : dropped(value, 0, (size, unit) => size / unit)
}

export function ceil(value: Num): Num {
  if (typeof value === 'number') return value
  return isNegative(value) ? dropped(value, 0, (size, unit) => size / unit) : dropped(value, 0, roundUp)
}

const roundUp = (size: bigint, unit: bigint): bigint => (size + unit - 1n) / unit

function dropped(value: Num, places: number, divide: (size: bigint, unit: bigint) => bigint): Num {
  if (typeof value === 'number' || value.scale <= places) return value
  const unit = bigPowers[value.scale - places] as bigint
  const mantissa = bigOf(value)
  return fromBig(mantissa < 0n ? -divide(-mantissa, unit) : divide(mantissa, unit), places)
}
