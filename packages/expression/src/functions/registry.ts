import { dateFunctions, dateMethods } from './date.ts'
import type { FunctionDefinition } from './definition.ts'
import { numberFunctions } from './number.ts'
import { oldDateFunctions } from './old-date.ts'
import { structureFunctions } from './structure.ts'
import { textFunctions } from './text.ts'
import { typeFunctions } from './type.ts'

/** A function that takes an expression with `#` as its second argument. */
export interface ClosureDefinition {
  readonly name: ClosureName
  readonly signature: string
  readonly summary: string
}

export type ClosureName = 'all' | 'none' | 'some' | 'one' | 'filter' | 'map' | 'flatMap' | 'count'

const closure = (name: ClosureName, argument: string, summary: string): ClosureDefinition => ({
  name,
  signature: `${name}(array, ${argument})`,
  summary,
})

export const closureDefinitions: readonly ClosureDefinition[] = [
  closure('map', 'expression', 'What the expression makes of each element.'),
  closure('filter', 'condition', 'The elements for which the condition is true.'),
  closure('flatMap', 'expression', 'As map, with arrays in the result opened.'),
  closure('some', 'condition', 'Is it true for at least one element?'),
  closure('all', 'condition', 'Is it true for all elements? Also true for none at all.'),
  closure('none', 'condition', 'Is it true for no element?'),
  closure('one', 'condition', 'Is it true for exactly one element?'),
  closure('count', 'condition', 'For how many elements is it true?'),
]

export const functionDefinitions: readonly FunctionDefinition[] = [
  ...textFunctions,
  ...numberFunctions,
  ...structureFunctions,
  ...typeFunctions,
  ...dateFunctions,
  ...oldDateFunctions,
]

export const methodDefinitions: readonly FunctionDefinition[] = dateMethods

export const functionsByName: ReadonlyMap<string, FunctionDefinition> = byName(functionDefinitions)
export const methodsByName: ReadonlyMap<string, FunctionDefinition> = byName(methodDefinitions)
export const closuresByName: ReadonlyMap<string, ClosureDefinition> = byName(closureDefinitions)

/** How many arguments a signature asks for: all but those with `?`, and all of them. */
export function argumentCounts(signature: string): { least: number; most: number } {
  const parts = signature
    .slice(signature.indexOf('(') + 1, -1)
    .split(',')
    .filter(part => part.trim() !== '')
  return { least: parts.filter(part => !part.includes('?')).length, most: parts.length }
}

function byName<T extends { readonly name: string }>(definitions: readonly T[]): Map<string, T> {
  return new Map(definitions.map(definition => [definition.name, definition]))
}
