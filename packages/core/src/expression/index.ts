export { type Condition, type ConditionPlace, compileCondition } from './condition.ts'
export { evaluationError } from './errors.ts'
export { type ExpressionFieldOptions, expression } from './field.ts'
