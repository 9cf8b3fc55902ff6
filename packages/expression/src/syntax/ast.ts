import type { Num } from '../number/decimal.ts'
import type { Bracket } from '../value/interval.ts'

interface At {
  /** First unit of the text, and one past the last. */
  readonly start: number
  readonly end: number
  /** In brackets of its own. */
  readonly grouped?: true
}

export type BinaryOperator =
  | 'or'
  | 'and'
  | '??'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^'

export interface Literal extends At {
  readonly kind: 'literal'
  readonly value: null | boolean | string | Num
}
export interface Template extends At {
  readonly kind: 'template'
  readonly parts: readonly Node[]
}
export interface Name extends At {
  readonly kind: 'name'
  readonly name: string
}
/** `$root` */
export interface Root extends At {
  readonly kind: 'root'
}
/** `#` */
export interface Pointer extends At {
  readonly kind: 'pointer'
}
/** `object.name`, `object[property]` */
export interface Member extends At {
  readonly kind: 'member'
  readonly object: Node
  readonly property: Node
}
export interface Slice extends At {
  readonly kind: 'slice'
  readonly object: Node
  readonly from: Node | undefined
  /** Belongs to the slice. */
  readonly to: Node | undefined
}
export interface IntervalNode extends At {
  readonly kind: 'interval'
  readonly open: Bracket
  readonly left: Node
  readonly right: Node
  readonly close: Bracket
}
export interface ArrayNode extends At {
  readonly kind: 'array'
  readonly elements: readonly Node[]
}
export interface ObjectNode extends At {
  readonly kind: 'object'
  readonly entries: readonly { readonly key: Node; readonly value: Node }[]
}
export interface Unary extends At {
  readonly kind: 'unary'
  readonly operator: 'not' | '-' | '+'
  readonly operand: Node
}
/** `first` and then, from left to right, what is done with it. Operators of one chain bind equally tight. */
export interface Chain extends At {
  readonly kind: 'chain'
  readonly first: Node
  readonly rest: readonly { readonly operator: BinaryOperator; readonly operand: Node; readonly at: number }[]
}
/** `condition ? value : condition ? value : otherwise` */
export interface Conditional extends At {
  readonly kind: 'conditional'
  readonly cases: readonly { readonly condition: Node; readonly value: Node }[]
  readonly otherwise: Node
}
export interface Call extends At {
  readonly kind: 'call'
  readonly name: string
  readonly arguments: readonly Node[]
  /** `map(items as item, …)` */
  readonly alias: string | undefined
}
export interface MethodCall extends At {
  readonly kind: 'method'
  readonly object: Node
  readonly name: string
  readonly nameAt: number
  readonly arguments: readonly Node[]
}
/** `a = 1; b.c = a; result` */
export interface Assignments extends At {
  readonly kind: 'assignments'
  readonly list: readonly { readonly path: readonly string[]; readonly value: Node; readonly at: number }[]
  readonly result: Node | undefined
}
/** Stands where something could not be read; the mistake has been reported. */
export interface Broken extends At {
  readonly kind: 'broken'
}

export type Node =
  | Literal
  | Template
  | Name
  | Root
  | Pointer
  | Member
  | Slice
  | IntervalNode
  | ArrayNode
  | ObjectNode
  | Unary
  | Chain
  | Conditional
  | Call
  | MethodCall
  | Assignments
  | Broken
