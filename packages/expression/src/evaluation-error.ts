/** Where in which expression something is. */
export interface Site {
  readonly source: string
  /** In UTF-16 units from 0. */
  readonly offset: number
}

/** A payload that an expression can not read, or a value that it can not work with. Has no payload data in its text. */
export class EvaluationError extends Error {
  override readonly name: string = 'EvaluationError'
  /** `payload`: it is no JSON, or no object. `value`: the values do not fit the expression. */
  readonly kind: 'payload' | 'value'
  readonly what: string
  readonly mend: string
  /** In the expression, from 1; 0 for a payload. */
  readonly line: number
  readonly column: number
  /** It was a null that did not fit. */
  readonly missing: boolean

  constructor(
    kind: 'payload' | 'value',
    site: Site | undefined,
    what: string,
    mend: string,
    missing = false,
  ) {
    const before = site === undefined ? '' : site.source.slice(0, site.offset)
    const line = site === undefined ? 0 : before.split('\n').length
    const column = site === undefined ? 0 : site.offset - before.lastIndexOf('\n')
    super(`${site === undefined ? '' : `line ${line}, column ${column}: `}${what}; ${mend}`)
    this.kind = kind
    this.what = what
    this.mend = mend
    this.line = line
    this.column = column
    this.missing = missing
  }
}

export const unfit = (site: Site, what: string, mend: string, missing = false): EvaluationError =>
  new EvaluationError('value', site, what, mend, missing)
