// Generated passwords hold `/`, `#`, `?` and `@` unencoded, so the last `@` before a blank ends one: too much is hidden
// rather than too little. A port followed by a path is no password.
const userinfo = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@|]*):(?!\d{1,5}[/?#,])([^\s|]*)@/gi
const parameter =
  /([?&;\s](?:[a-z_.-]*(?:password|passwd|passphrase|secret|token|api_?key|access_?key))=|[?&]key=)([^&\s#|;]+)/gi

/** The passwords in a URL, as written and percent-decoded. */
export function passwordsInUrl(text: string): string[] {
  const found = new Set<string>()
  for (const match of text.matchAll(userinfo)) addBoth(found, match[2]!)
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
    for (const match of text.matchAll(parameter)) addBoth(found, match[2]!)
  }
  found.delete('')
  found.delete('***')
  return [...found]
}

function addBoth(found: Set<string>, value: string): void {
  found.add(value)
  try {
    found.add(decodeURIComponent(value))
  } catch {
    // Not percent-encoded: it stands as written.
  }
}

/** A text with the passwords of its URLs and of parameters that are named like one replaced by `***`. */
export function redactUrl(text: string): string {
  return text.replace(userinfo, '$1:***@').replace(parameter, '$1***')
}
