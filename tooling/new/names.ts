/** The spellings of one name that a package needs. */
export interface Names {
  /** Package and folder: `weak-join`. */
  readonly kebab: string
  /** Configuration key: `weak_join`. */
  readonly snake: string
  readonly camel: string
  /** Types: `WeakJoin`. */
  readonly Pascal: string
  /** Error codes: `WEAK_JOIN`. */
  readonly UPPER: string
  /** In sentences: `weak join`. */
  readonly words: string
}

/** @throws {Error} when the text cannot be the name of a package */
export function namesOf(text: string): Names {
  const kebab = text.replaceAll('_', '-')
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(kebab)) {
    throw new Error(`"${text}" cannot be a name: use lower case words with hyphens, such as weak-join`)
  }
  const words = kebab.split('-')
  const pascal = words.map(capitalized).join('')
  return {
    kebab,
    snake: words.join('_'),
    camel: `${words[0]}${words.slice(1).map(capitalized).join('')}`,
    Pascal: pascal,
    UPPER: words.join('_').toUpperCase(),
    words: words.join(' '),
  }
}

const capitalized = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
