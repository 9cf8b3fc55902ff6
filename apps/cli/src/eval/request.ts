import { describeThrown } from '@mqb/core'
import { compilePaths, readText } from '@mqb/json'
import { evaluate, problemLine } from './evaluate.ts'

const program = compilePaths([['expression'], ['input'], ['meta']])
const emptyInput = Buffer.from('{}')

/** Thrown for a line that is no request. */
class RequestError extends Error {}

/**
 * Answers one line `{"expression", "input", "meta"}` by `{"result"}` or `{"error"}`. The input stays bytes, so that
 * every digit of it counts. Never throws.
 */
export function answerLine(line: Uint8Array): string {
  try {
    const { expression, input, metadata } = readRequest(line)
    const evaluation = evaluate(expression, input, metadata)
    return 'json' in evaluation
      ? `{"result":${evaluation.json}}`
      : errorLine(evaluation.problems.map(problemLine).join('\n'))
  } catch (error) {
    return errorLine(describeThrown(error))
  }
}

const errorLine = (text: string): string => JSON.stringify({ error: text })

function readRequest(line: Uint8Array): {
  expression: string
  input: Uint8Array
  metadata: readonly string[]
} {
  const ranges = program.createRanges()
  try {
    program.find(line, 0, line.length, ranges)
  } catch (error) {
    throw new RequestError(`the line is ${describeThrown(error)}`)
  }
  const [expressionStart = -1, expressionEnd = -1, inputStart = -1, inputEnd, metaStart = -1, metaEnd] =
    ranges
  if (line[expressionStart] !== 0x22)
    throw new RequestError(
      'the line has no text "expression"; write {"expression": "a + b", "input": {"a": 1, "b": 2}}',
    )
  return {
    expression: readText(line, expressionStart, expressionEnd),
    input: inputStart < 0 ? emptyInput : line.subarray(inputStart, inputEnd),
    metadata: metaStart < 0 ? [] : readMetadata(line.subarray(metaStart, metaEnd)),
  }
}

function readMetadata(json: Uint8Array): string[] {
  const value = JSON.parse(Buffer.from(json).toString()) as unknown
  if (value === null) return []
  if (typeof value !== 'object' || Array.isArray(value))
    throw new RequestError('"meta" is an object of texts, such as {"kind": "order"}')
  return Object.entries(value).flatMap(([key, entry]) => {
    if (typeof entry !== 'string')
      throw new RequestError(
        `metadata is text, and ${JSON.stringify(key)} of "meta" is none; put it in quotes`,
      )
    return [key, entry]
  })
}
