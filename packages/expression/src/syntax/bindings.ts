import type { BinaryOperator } from './ast.ts'

/** An operator between two values, and how tightly it binds. */
export interface Binding {
  readonly operator: BinaryOperator
  readonly strength: number
}

const table = new Map<string, Binding>()
const declare = (strength: number, marks: readonly string[], operator?: BinaryOperator): void => {
  for (const mark of marks) table.set(mark, { operator: operator ?? (mark as BinaryOperator), strength })
}
declare(10, ['or', '||'], 'or')
declare(15, ['and', '&&'], 'and')
declare(20, ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'])
declare(30, ['+', '-'])
declare(60, ['*', '/', '%'])
declare(70, ['^'])
declare(80, ['??'])
export const notStrength = 50
export const signStrength = 200
export const powerStrength = 70

/** By the mark or word that is written. */
export const bindings: ReadonlyMap<string, Binding> = table
