import { compileNode } from './compile/compile.ts'
import { type CompileOptions, Context } from './compile/context.ts'
import { EvaluationError } from './evaluation-error.ts'
import { type Host, named } from './functions/definition.ts'
import { type Document, Frame, type Run, release, reset } from './payload/frame.ts'
import { PayloadReader } from './payload/reader.ts'
import { parse } from './syntax/parser.ts'
import { Problems } from './syntax/problem.ts'
import { NestingError } from './value/from-json.ts'
import type { Value } from './value/value.ts'

/** A compiled expression. Not for two evaluations at a time, which can not happen: evaluating is synchronous. */
export interface Expression {
  readonly source: string
  /** Payload paths that it reads, as they are written: `order.status`, `items[0].sku`. `$` is the whole payload. */
  readonly payloadPaths: readonly string[]
  /** Metadata keys that it reads. */
  readonly metadataKeys: readonly string[]
  /** It reads `meta` as a whole. */
  readonly readsAllMetadata: boolean
  /** It reads `$root`. */
  readonly readsWholePayload: boolean
  /** Roots of the options that it reads. */
  readonly roots: readonly string[]
  /**
   * What it says about a message. The payload is looked at only if `payloadPaths` has any.
   *
   * @param roots values of the `roots` of the options, in their order; absent ones are null
   * @throws {EvaluationError}
   */
  evaluate(document: Document, roots?: readonly Value[]): Value
  /**
   * What a condition says about a message.
   *
   * @throws {EvaluationError} also when the result is neither true nor false
   */
  test(document: Document, roots?: readonly Value[]): boolean
}

// Ten times what a person would write.
const maxLength = 1_000_000

/**
 * Reads and checks an expression, once for all messages.
 *
 * @throws {ExpressionError} with every mistake that was found
 */
export function compileExpression(text: string, options: CompileOptions = {}): Expression {
  return compileWith(text, options, new PayloadReader(), frameOf(options.host), false)
}

/**
 * Expressions about the same messages, such as the cases of a switch: one pass over a payload serves all of them.
 * Between evaluations a group holds on to the payload that it has read last, whose bytes must not change meanwhile.
 */
export class ExpressionGroup {
  private readonly reader = new PayloadReader()
  private readonly frame: Frame

  constructor(host: Partial<Host> = {}) {
    this.frame = frameOf(host)
  }

  /** As `compileExpression`. */
  compile(text: string, options: Omit<CompileOptions, 'host'> = {}): Expression {
    return compileWith(text, options, this.reader, this.frame, true)
  }

  /** Lets go of the payload that was read last. To be called at the end of a batch. */
  release(): void {
    release(this.frame)
  }
}

const frameOf = (host: Partial<Host> = {}): Frame =>
  new Frame({ now: Date.now, random: Math.random, ...host })

function compileWith(
  text: string,
  options: CompileOptions,
  reader: PayloadReader,
  frame: Frame,
  keeps: boolean,
): Expression {
  const problems = new Problems(text)
  if (text.length > maxLength)
    problems.add(0, `the expression has more than ${maxLength} characters`, 'split it')
  problems.check()
  const tree = parse(text, problems)
  const context = new Context(text, problems, reader, options)
  const run = compileNode(tree, context)
  problems.check()
  return new CompiledExpression(run, context, frame, keeps)
}

class CompiledExpression implements Expression {
  readonly source: string
  readonly payloadPaths: readonly string[]
  readonly metadataKeys: readonly string[]
  readonly readsAllMetadata: boolean
  readonly readsWholePayload: boolean
  readonly roots: readonly string[]
  private readonly run: Run
  private readonly frame: Frame
  private readonly reader: PayloadReader
  private readonly keeps: boolean
  private readonly namesFields: boolean

  constructor(run: Run, context: Context, frame: Frame, keeps: boolean) {
    const slots = [...context.slots]
    this.source = context.source
    this.payloadPaths = slots.map(slot => pathText(slot.steps))
    this.metadataKeys = [...context.metadataKeys]
    this.readsAllMetadata = context.readsAllMetadata
    this.readsWholePayload = slots.some(slot => slot.steps.length === 0)
    this.roots = [...context.usedRoots]
    this.run = run
    this.frame = frame
    this.reader = context.reader
    this.keeps = keeps
    this.namesFields = slots.some(slot => slot.steps.length > 0)
  }

  evaluate(document: Document, roots?: readonly Value[]): Value {
    const { frame } = this
    try {
      if (this.payloadPaths.length > 0) this.reader.load(frame, document, this.namesFields)
      frame.metadataPairs = document.metadataPairs
      if (roots !== undefined) frame.roots = roots
      return this.run(frame)
    } catch (error) {
      throw error instanceof NestingError
        ? new EvaluationError('value', undefined, error.message, 'pass it on whole, or take a part of it')
        : error
    } finally {
      reset(frame)
      if (!this.keeps) release(frame)
    }
  }

  test(document: Document, roots?: readonly Value[]): boolean {
    const value = this.evaluate(document, roots)
    if (value === true) return true
    if (value === false) return false
    throw new EvaluationError(
      'value',
      { source: this.source, offset: 0 },
      `the result is ${named(value)}, not true or false`,
      value === null ? 'give a value for the absent case with ??' : 'compare it with something',
      value === null,
    )
  }
}

function pathText(steps: readonly (string | number)[]): string {
  if (steps.length === 0) return '$'
  return steps
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`
      if (/[.[\]]/.test(step) || step === '') return `[${JSON.stringify(step)}]`
      return at === 0 ? step : `.${step}`
    })
    .join('')
}
