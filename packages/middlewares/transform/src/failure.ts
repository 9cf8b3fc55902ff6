import { JsonSyntaxError } from '@mqb/json'

/** What was wrong with a message: stands in brackets in the text. */
export type FailureKind = 'json' | 'required' | 'expression' | 'type' | 'coercion' | 'enum' | 'content'

/** One message cannot be transformed. */
export class TransformFailure extends Error {
  override readonly name: string = 'TransformFailure'
  /** `$.items[1].qty` */
  readonly path: string
  readonly kind: FailureKind
  readonly reason: string

  constructor(path: string, kind: FailureKind, reason: string) {
    super(`transform failed at ${path} [${kind}]: ${reason}`)
    this.path = path
    this.kind = kind
    this.reason = reason
  }
}

/** The failure that a throw while a payload was being read stands for. What is none of ours is thrown again. */
export function asFailure(error: unknown): TransformFailure {
  if (error instanceof TransformFailure) return error
  if (error instanceof JsonSyntaxError)
    return new TransformFailure(
      '$',
      'json',
      `the payload is not JSON: ${error.reason}, at byte ${error.offset}`,
    )
  throw error
}
