import { tokenize } from './lexer.ts'
import type { Problems } from './problem.ts'
import type { Token } from './token.ts'

/** Thrown where reading can not go on, once the mistake is reported. */
class Mistake extends Error {
  readonly final: boolean

  constructor(final: boolean) {
    super('reported')
    this.final = final
  }
}

/** A place among the tokens of an expression, and the words for what is wrong there. */
export class TokenCursor {
  private readonly tokens: readonly Token[]
  private readonly problems: Problems
  private at = 0
  /** Does a `..` stand anywhere? */
  readonly hasRanges: boolean

  constructor(text: string, problems: Problems) {
    this.tokens = tokenize(text, problems)
    this.problems = problems
    this.hasRanges = this.tokens.some(token => token.value === '..' && token.kind === 'mark')
  }

  get current(): Token {
    return this.tokens[this.at] as Token
  }

  /** One past the token before this one. */
  get lastEnd(): number {
    return this.at === 0 ? 0 : (this.tokens[this.at - 1] as Token).end
  }

  next(): Token {
    const token = this.current
    if (token.kind !== 'end') this.at++
    return token
  }

  atEnd(): boolean {
    return this.current.kind === 'end'
  }

  isMark(mark: string): boolean {
    return this.current.value === mark && this.current.kind === 'mark'
  }

  isName(name: string): boolean {
    return this.current.value === name && this.current.kind === 'name'
  }

  expectMark(mark: string, where: string): void {
    if (!this.isMark(mark))
      this.fail(`${mark} is expected ${where}, not ${described(this.current)}`, `insert ${mark}`)
    this.next()
  }

  expectName(where: string): Token {
    if (this.current.kind !== 'name')
      this.fail(`a name is expected ${where}, not ${described(this.current)}`, 'for other names write ["…"]')
    return this.next()
  }

  expectEnd(): void {
    const { kind, value } = this.current
    if (kind === 'end') return
    if (kind === 'mark' && ')]}'.includes(value))
      this.fail(`nothing is open that ${value} could close`, 'remove it')
    if (kind === 'mark' && value === '..') this.fail('an interval stands in brackets', 'write [1..5]')
    if (kind === 'mark' && value === '=')
      this.fail('= sets a field and can not stand here', 'compare with ==')
    this.fail(
      `an operator is expected before ${described(this.current)}`,
      'put +, and, == or the like between the two values',
    )
  }

  failAtValue(): never {
    const token = this.current
    if (token.kind === 'end') return this.fail('the expression ends where a value is expected', 'complete it')
    return this.fail(
      `a value is expected, not ${described(token)}`,
      'write a field, a number, a text in quotes or a function',
    )
  }

  /** A mistake at this place: reading goes on behind the next comma or bracket that fits. */
  fail(what: string, mend: string): never {
    this.report(this.current.start, what, mend)
    throw new Mistake(false)
  }

  /** A mistake at the token before this one. */
  failBack(what: string, mend: string): never {
    this.at--
    return this.fail(what, mend)
  }

  /** A mistake after which nothing more is read. */
  giveUp(what: string, mend: string): never {
    this.report(this.current.start, what, mend)
    throw new Mistake(true)
  }

  report(offset: number, what: string, mend: string): void {
    this.problems.add(offset, what, mend)
  }

  recovering<T>(marks: readonly string[], read: () => T, replace: () => T): T {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Mistake) || (error.final && marks.length > 0)) throw error
      this.skipTo(marks)
      return replace()
    }
  }

  private skipTo(marks: readonly string[]): void {
    let open = 0
    for (; !this.atEnd(); this.next()) {
      const { kind, value } = this.current
      if (kind !== 'mark') continue
      if (open === 0 && marks.includes(value)) return
      if ('([{'.includes(value) || value === '${') open++
      else if (')]}'.includes(value)) open = Math.max(0, open - 1)
    }
  }
}

function described(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end'
    case 'number':
      return `the number ${token.value}`
    case 'text':
      return 'a text'
    case 'template':
    case 'piece':
    case 'template-end':
      return 'a template'
    default:
      return token.value
  }
}
