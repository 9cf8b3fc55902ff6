/** Keys and values that somebody wrote are quoted in messages: none of them may speak to the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, character =>
    character === '\n' ? '\n' : `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}
