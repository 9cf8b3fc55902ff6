import { stringify } from 'yaml'

/** A table; columns without any content are left out. Cells are Markdown already. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = headings.map((_, column) => rows.some(row => (row[column] ?? '') !== ''))
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`
  return [
    line(headings),
    line(headings.map(() => '---')),
    ...rows.map(row => line(headings.map((_, column) => escapeCell(row[column] ?? '')))),
  ].join('\n')
}

/** A value in code quotes, as it would be typed. */
export function code(value: unknown): string {
  // What cannot be seen is shown as it would be typed.
  const text = typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

const isPlain = (text: string) => /^[^\s\p{Cc}]([^\p{Cc}]*[^\s\p{Cc}])?$/u.test(text)

export function yamlBlock(value: unknown): string {
  return `\`\`\`yaml\n${stringify(value, { lineWidth: 100 })}\`\`\``
}

/** Joins the parts of a page with one empty line between them; `undefined` and empty parts are left out. */
export function page(parts: readonly (string | undefined)[]): string {
  return `${parts.filter(part => part !== undefined && part !== '').join('\n\n')}\n`
}

/** The anchor that Markdown viewers give a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** A bar ends a cell, also in code quotes, unless it is escaped. */
function escapeCell(text: string): string {
  return text.replace(/\n/g, ' ').replace(/(?<!\\)\|/g, '\\|')
}
