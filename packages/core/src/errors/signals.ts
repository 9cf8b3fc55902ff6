const endBrand: unique symbol = Symbol.for('mqb.EndOfStream') as never
const gapBrand: unique symbol = Symbol.for('mqb.Gap') as never

const hasBrand = (value: unknown, brand: symbol): boolean =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true

/** Thrown by `receive`: the source has ended. No error: the route completes. */
export class EndOfStream extends Error {
  override readonly name: string = 'EndOfStream'

  constructor(message = 'the source has ended') {
    super(message)
  }

  get [endBrand](): true {
    return true
  }

  static is(value: unknown): value is EndOfStream {
    return hasBrand(value, endBrand)
  }
}

/** Thrown by `receive`: the position asked for is no longer kept. The policy `position_lost` decides what follows. */
export class Gap extends Error {
  override readonly name: string = 'Gap'
  /** The position that was asked for, printed. */
  readonly requested: string
  /** The oldest position that is still there, printed; absent when unknown. */
  readonly base: string | undefined

  constructor(positions: { requested: string; base?: string }) {
    super(
      `position ${positions.requested} is gone${positions.base === undefined ? '' : `, the oldest kept is ${positions.base}`}`,
    )
    this.requested = positions.requested
    this.base = positions.base
  }

  get [gapBrand](): true {
    return true
  }

  static is(value: unknown): value is Gap {
    return hasBrand(value, gapBrand)
  }
}
