/**
 * `name` is any word, `text` a quoted one, `mark` an operator or bracket. A template is its own tokens: `template` opens
 * it, then come `piece` (literal text) and expressions between the marks `${` and `}`, and `template-end`.
 */
export type TokenKind = 'name' | 'number' | 'text' | 'mark' | 'template' | 'piece' | 'template-end' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The word, the digits, the mark; of a text and a piece, what is between the quotes. */
  readonly value: string
  readonly start: number
  readonly end: number
}
