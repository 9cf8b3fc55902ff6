/**
 * Reads `NAME=value` lines. A value may stand in single quotes (taken as it is) or double quotes (with `\n`, `\r`,
 * `\t`, `\"` and `\\`), and then go over several lines; ` #` ends an unquoted one. `export ` in front is allowed.
 */
export function parseDotenv(text: string): { values: Record<string, string>; badLines: number[] } {
  const values: Record<string, string> = {}
  const badLines: number[] = []
  const line =
    /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*('[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^\r\n]*)[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$)/y
  const skip = /[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$)/y
  let at = 0
  while (at < text.length) {
    line.lastIndex = skip.lastIndex = at
    const entry = line.exec(text)
    if (entry !== null) {
      values[entry[1]!] = readValue(entry[2]!)
      at = line.lastIndex
    } else if (skip.test(text) && skip.lastIndex > at) {
      at = skip.lastIndex
    } else {
      badLines.push(text.slice(0, at).split('\n').length)
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
    }
  }
  return { values, badLines }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

function readValue(written: string): string {
  if (written.startsWith("'") && written.endsWith("'") && written.length > 1) return written.slice(1, -1)
  if (written.startsWith('"') && written.endsWith('"') && written.length > 1) {
    return written
      .slice(1, -1)
      .replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character)
  }
  return written.replace(/(^|[ \t]+)#.*$/, '').trimEnd()
}
