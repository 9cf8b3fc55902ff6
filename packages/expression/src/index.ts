export type { CompileOptions } from './compile/context.ts'
export { DateValue } from './dates/date-value.ts'
export { EvaluationError, type Site } from './evaluation-error.ts'
export { compileExpression, type Expression, ExpressionGroup } from './expression.ts'
export type { FunctionDefinition, Host } from './functions/definition.ts'
export {
  type ClosureDefinition,
  closureDefinitions,
  functionDefinitions,
  methodDefinitions,
} from './functions/registry.ts'
export { Decimal, DecimalOverflow, type Num } from './number/decimal.ts'
export type { Document } from './payload/frame.ts'
export { ExpressionError, type Problem } from './syntax/problem.ts'
export { fromJson } from './value/from-json.ts'
export { Interval } from './value/interval.ts'
export { RecordValue } from './value/record.ts'
export { NumberText, StructureText } from './value/source-text.ts'
export { type Fractions, toJson } from './value/to-json.ts'
export { asArray, asNumber, asRecord, typeOf, type Value, type ValueType } from './value/value.ts'
