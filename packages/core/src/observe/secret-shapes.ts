// Passwords that nobody declared: they stand in texts of drivers and in what a user mistyped.

/** `scheme://user:password@`, with a password that may hold the characters that break a URL. */
const urlPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s:@/?#"'<>]*):((?:(?!:\/\/)[^\s"'<>])*)@/gi

const secretWord =
  '[\\w.-]*(?:password|passwd|passphrase|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|private[_-]?key)'

/** `password=…` as in URLs, connection texts and command lines, and `"password": "…"` as in JSON. */
const assignment = new RegExp(
  `(\\b${secretWord}\\s?=\\s?)("[^"]*"|'[^']*'|[^\\s&;,"'<>)\\]}]+)|("${secretWord}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`,
  'gi',
)

/** `Authorization: Basic …`, in any spelling. */
const authorization = /(\bauthorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?)[^\s"',]{4,}/gi

/** A port and what follows it, which looks like a password when an `@` comes later: `http://host:80/a@b`. */
const looksLikePort = /^\d{1,5}(?:[/?#]|$)/

/** What was found may be a reference to the secret, not the secret. */
const isPlaceholder = /^(?:\$\{?\w+\}?|\*{3})$/

export function scrubShapes(text: string): string {
  if (text.includes('://') && text.includes('@'))
    text = text.replace(urlPassword, (whole, start: string, password: string) =>
      password === '' || looksLikePort.test(password) || isPlaceholder.test(password)
        ? whole
        : `${start}:***@`,
    )
  if (text.includes('=') || text.includes('"'))
    text = text.replace(
      assignment,
      (whole, start: string | undefined, value: string | undefined, key: string | undefined) =>
        start !== undefined ? (isPlaceholder.test(value ?? '') ? whole : `${start}***`) : `${key ?? ''}"***"`,
    )
  return /authorization/i.test(text) ? text.replace(authorization, '$1***') : text
}
