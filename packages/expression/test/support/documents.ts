import {
  type CompileOptions,
  compileExpression,
  type Document,
  fromJson,
  toJson,
  type Value,
} from '../../src/index.ts'

export const documentOf = (payload: string, metadata: Readonly<Record<string, string>> = {}): Document => {
  const bytes = Buffer.from(payload)
  return { bytes, start: 0, end: bytes.length, metadataPairs: Object.entries(metadata).flat() }
}

/** The result of an expression as JSON text. */
export function run(
  source: string,
  payload: unknown = {},
  metadata: Readonly<Record<string, string>> = {},
  options: CompileOptions = {},
): string {
  return toJson(evaluate(source, payload, metadata, options))
}

export function evaluate(
  source: string,
  payload: unknown = {},
  metadata: Readonly<Record<string, string>> = {},
  options: CompileOptions = {},
): Value {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return compileExpression(source, options).evaluate(documentOf(text, metadata))
}

/** As a plain value, for comparing. */
export const plain = (value: Value): unknown => JSON.parse(toJson(value))

export { fromJson }
