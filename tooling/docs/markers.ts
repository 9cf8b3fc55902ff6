/**
 * Replaces what stands between `<!-- generated: NAME -->` and `<!-- /generated -->`.
 *
 * @returns `undefined` when the text has no such place.
 */
export function replaceGenerated(text: string, name: string, content: string): string | undefined {
  const start = `<!-- generated: ${name} -->`
  const end = '<!-- /generated -->'
  const from = text.indexOf(start)
  if (from === -1) return undefined
  const to = text.indexOf(end, from)
  if (to === -1)
    throw new Error(`"${start}" has no "${end}" behind it: add one where the generated part ends`)
  return `${text.slice(0, from + start.length)}\n\n${content.trim()}\n\n${text.slice(to)}`
}

/** The names of all generated places of a text, in order. */
export function generatedNames(text: string): string[] {
  return [...text.matchAll(/<!-- generated: (.+?) -->/g)].map(match => match[1] ?? '')
}
