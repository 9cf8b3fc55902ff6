import { readFileSync } from 'node:fs'

export interface ZenCase {
  readonly line: number
  readonly expression: string
  readonly input: unknown
  readonly output: unknown
}

/** Cases of the reference's test suite: `expression;input;output`, where an expression with `;` stands in double quotes. */
export function zenCases(file: string): ZenCase[] {
  const text = readFileSync(new URL(`../fixtures/zen/${file}`, import.meta.url), 'utf8')
  return text.split('\n').flatMap((line, index) => {
    if (index === 0 || line.trim() === '' || line.startsWith('#')) return []
    // The input may be left out with its separator.
    const match =
      /^"((?:[^"]|"")*)";(.*?);(.*)$/.exec(line) ??
      /^(.*?);((?:\{.*\})?);(.*)$/.exec(line) ??
      /^(.*?);()(.*)$/.exec(line)
    if (match === null) throw new Error(`${file}:${index + 1} is no case: ${line}`)
    const [, expression, input, output] = match as unknown as [string, string, string, string]
    return [{ line: index + 1, expression, input: json5(input) ?? {}, output: json5(output) }]
  })
}

/** The part of JSON5 that the cases use: names and strings in single quotes. */
function json5(text: string): unknown {
  if (text.trim() === '') return undefined
  const strict = text
    .trim()
    .replace(/'((?:[^'\\]|\\.)*)'|"(?:[^"\\]|\\.)*"|([A-Za-z_]\w*)(?=\s*:)/g, (all, single, name) =>
      single !== undefined ? JSON.stringify(single) : name !== undefined ? JSON.stringify(name) : all,
    )
  return JSON.parse(strict)
}
