import { describe, expect, it } from 'vitest'
import { evaluate, plain } from './support/documents.ts'
import { zenCases } from './support/zen-cases.ts'

describe.each(['standard.csv', 'date.csv'])('cases of the ZEN language, %s', file => {
  it.each(zenCases(file))('line $line: $expression', ({ expression, input, output }) => {
    expect(plain(evaluate(expression, input))).toEqual(output)
  })
})
