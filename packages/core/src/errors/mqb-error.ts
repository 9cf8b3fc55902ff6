/**
 * What follows from an error:
 * - `config`: found before anything connects; the process ends with code 2.
 * - `connection`: the endpoint is gone; nothing is acknowledged, it alone is reopened with backoff.
 * - `retryable`: the same call can work later with nothing changed; the source redelivers.
 * - `permanent`: it can never work; logged, counted, settled, or kept by a `dlq`.
 */
export type ErrorKind = 'config' | 'connection' | 'retryable' | 'permanent'

export interface MqbErrorInit {
  readonly kind: ErrorKind
  /** Stable within a major version: `MQB_…`. Callers branch on it, never on text. */
  readonly code: string
  /** Path in the configuration, or route and address without password. Filled in by the shell where left out. */
  readonly where?: string
  /** What happened. */
  readonly what: string
  /** What to look at or type. */
  readonly mend?: string
  readonly cause?: unknown
  /** Further facts for logs and dead letters; JSON values, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>
}

const brand: unique symbol = Symbol.for('mqb.MqbError') as never

/** The one error class. Test with `MqbError.is`, which holds across two copies of core. */
export class MqbError extends Error {
  override readonly name: string = 'MqbError'
  readonly kind: ErrorKind
  readonly code: string
  readonly where: string | undefined
  readonly what: string
  readonly mend: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(init: MqbErrorInit) {
    super(composeMessage(init), init.cause === undefined ? undefined : { cause: init.cause })
    this.kind = init.kind
    this.code = init.code
    this.where = init.where
    this.what = init.what
    this.mend = init.mend
    this.details = init.details
  }

  get [brand](): true {
    return true
  }

  /** Holds across two copies of core. */
  static is(value: unknown): value is MqbError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
  }

  /** The same error with some parts replaced, and the stack of this one. */
  with(changes: Partial<MqbErrorInit>): MqbError {
    const copy = new MqbError({ ...this.toInit(), ...changes })
    if (this.stack !== undefined) copy.stack = this.stack
    return copy
  }

  private toInit(): MqbErrorInit {
    return {
      kind: this.kind,
      code: this.code,
      what: this.what,
      ...(this.where === undefined ? {} : { where: this.where }),
      ...(this.mend === undefined ? {} : { mend: this.mend }),
      ...(this.cause === undefined ? {} : { cause: this.cause }),
      ...(this.details === undefined ? {} : { details: this.details }),
    }
  }
}

/** `CODE where: what; mend`, the one place where the text is put together. */
function composeMessage(init: MqbErrorInit): string {
  const where = init.where === undefined ? '' : ` ${init.where}`
  const mend = init.mend === undefined ? '' : ` (${init.mend})`
  return `${init.code}${where}: ${init.what}${mend}`
}
