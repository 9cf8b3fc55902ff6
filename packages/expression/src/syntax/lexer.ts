import type { Problems } from './problem.ts'
import type { Token, TokenKind } from './token.ts'

const space = /[ \t\r\n]+/y
const word = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy
const number = /\d[\d_]*(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?\d+)?/y
const pieceEnd = /`|\$\{/g
const notIn = /not[ \t\r\n]+in(?![\p{ID_Continue}$])/uy
const marks = ['..', '==', '!=', '<=', '>=', '??', '&&', '||', ...'()[]{}.,:;?+-*/%^<>=!#']
// What other languages write: what is meant by it, and the mark that reading goes on with.
const foreign: readonly (readonly [written: string, mend: string, meant: string])[] = [
  ['===', 'compare with ==', '=='],
  ['!==', 'compare with !=', '!='],
  ['<>', 'compare with !=', '!='],
  ['**', 'a power is written ^', '^'],
  ['=>', 'greater or equal is >=, and map takes an expression with #, as in map(items, # + 1)', '>='],
  ['?.', 'write a plain . instead: a member of null is null', '.'],
  ['|', 'for "or" write or; functions are called as in len(items)', '||'],
  ['&', 'for "and" write and; texts are joined with +', '&&'],
  ['//', 'an expression has no comments: remove it', ''],
  ['/*', 'an expression has no comments: remove it', ''],
]

/** The tokens of an expression. What cannot be read is reported and left out. The last one is `end`. */
export function tokenize(text: string, problems: Problems): Token[] {
  const lexer = new Lexer(text, problems)
  lexer.run()
  lexer.push('end', '', text.length)
  return lexer.tokens
}

class Lexer {
  readonly tokens: Token[] = []
  private readonly text: string
  private readonly problems: Problems
  private at = 0

  constructor(text: string, problems: Problems) {
    this.text = text
    this.problems = problems
  }

  push(kind: TokenKind, value: string, start: number): void {
    this.tokens.push({ kind, value, start, end: this.at })
  }

  run(): void {
    // Templates nest: for each one around this place, how many braces are open in its expression.
    const open: number[] = []
    while (this.at < this.text.length) {
      const c = this.text[this.at] as string
      if (this.skip(space)) continue
      if (c === '`') {
        this.push('template', '`', this.at++)
        if (this.piece()) open.push(0)
      } else if (c === '}' && open.at(-1) === 0) {
        this.at++
        this.push('mark', '}', this.at - 1)
        open.pop()
        if (this.piece()) open.push(0)
      } else {
        if (open.length > 0 && (c === '{' || c === '}'))
          open.push((open.pop() as number) + (c === '{' ? 1 : -1))
        this.token(c)
      }
    }
    if (open.length > 0)
      this.problems.add(
        this.text.length,
        'a template is not closed',
        'end the ${ with } and the template with `',
      )
  }

  private token(c: string): void {
    const start = this.at
    if (c === '"' || c === "'") this.quoted(c)
    else if (this.skip(notIn)) this.push('mark', 'not in', start)
    else if (this.skip(word)) this.push('name', this.text.slice(start, this.at), start)
    else if (this.skip(number)) this.number(start)
    else if (!this.foreign(c)) this.mark()
  }

  private mark(): void {
    const start = this.at
    const mark = marks.find(candidate => this.text.startsWith(candidate, start))
    if (mark !== undefined) {
      this.at += mark.length
      this.push('mark', mark, start)
      return
    }
    const symbol = String.fromCodePoint(this.text.codePointAt(start) as number)
    this.at += symbol.length
    this.problems.add(
      start,
      `${JSON.stringify(symbol)} means nothing here`,
      'remove it, or put text in quotes',
    )
  }

  /** Something that other languages have: reported, and left out. */
  private foreign(c: string): boolean {
    for (const [written, mend, meant] of foreign) {
      if (!this.text.startsWith(written, this.at)) continue
      if (written.length === 1 && this.text[this.at + 1] === c) continue
      const start = this.at
      this.problems.add(start, `there is no ${written}`, mend)
      this.at += meant === '' ? this.text.length - start : written.length
      if (meant !== '') this.push('mark', meant, start)
      return true
    }
    return false
  }

  private number(start: number): void {
    if (this.skip(word)) {
      const written = this.text.slice(start, this.at)
      this.problems.add(start, `${written} is no number`, 'write digits, such as 12, 1.5 or 1e3')
    }
    this.push('number', this.text.slice(start, this.at), start)
  }

  private quoted(quote: string): void {
    const start = this.at
    const close = this.text.indexOf(quote, start + 1)
    if (close < 0) {
      this.problems.add(start, 'a text is not closed', `end it with ${quote}`)
      this.at = this.text.length
    } else this.at = close + 1
    this.push('text', this.text.slice(start + 1, close < 0 ? this.text.length : close), start)
  }

  /** The literal part of a template that begins here. True when an expression follows, false at the end of the template. */
  private piece(): boolean {
    const start = this.at
    pieceEnd.lastIndex = start
    const match = pieceEnd.exec(this.text)
    const end = match?.index ?? this.text.length
    const opens = match?.[0] === '${'
    this.at = end
    if (end > start) this.push('piece', this.text.slice(start, end), start)
    if (opens) {
      this.at += 2
      this.push('mark', '${', end)
      return true
    }
    if (match === null) this.problems.add(start, 'a template is not closed', 'end it with `')
    else this.at++
    this.push('template-end', '`', end)
    return false
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }
}
