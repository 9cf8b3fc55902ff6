import { parseNumber } from '../number/parse.ts'
import type { Bracket } from '../value/interval.ts'
import type { Broken, Chain, Conditional, Node, ObjectNode } from './ast.ts'
import { bindings, notStrength, powerStrength, signStrength } from './bindings.ts'
import type { Problems } from './problem.ts'
import { TokenCursor } from './token-cursor.ts'

/** Calls and brackets nest this deep at the most; chains of operators, conditions and elements may be as long as they like. */
const maxDepth = 200

/** Reads the text of an expression. Everything that is wrong with it is reported to `problems`. */
export function parse(text: string, problems: Problems): Node {
  return new Parser(new TokenCursor(text, problems)).program()
}

class Parser {
  private readonly tokens: TokenCursor
  private depth = 0

  constructor(tokens: TokenCursor) {
    this.tokens = tokens
  }

  program(): Node {
    return this.recovering([], () => {
      const first = this.expression()
      if (this.tokens.isMark('=')) return this.assignments(first)
      if (this.tokens.isMark(';'))
        this.tokens.fail('only assignments such as a = 1 are followed by ;', 'remove it')
      this.tokens.expectEnd()
      return first
    })
  }

  private assignments(first: Node): Node {
    const list: { path: readonly string[]; value: Node; at: number }[] = []
    let target = first
    let result: Node | undefined
    for (;;) {
      const path = assignedPath(target)
      if (path === undefined)
        this.tokens.fail(
          '= sets a field and can only follow a name',
          'compare with ==, or write name = value',
        )
      this.tokens.next()
      list.push({ path, value: this.expression(), at: target.start })
      if (this.tokens.atEnd()) break
      this.tokens.expectMark(';', 'between assignments')
      if (this.tokens.atEnd()) break
      target = this.expression()
      if (this.tokens.isMark('=')) continue
      result = target
      this.tokens.expectEnd()
      break
    }
    return { kind: 'assignments', list, result, start: first.start, end: this.tokens.lastEnd }
  }

  private expression(): Node {
    if (++this.depth > maxDepth)
      this.tokens.giveUp(
        `the expression nests more than ${maxDepth} levels deep`,
        'split it, with assignments such as a = …; b = a + 1',
      )
    const first = this.binary(0)
    const node = this.tokens.isMark('?') ? this.conditional(first) : first
    this.depth--
    return node
  }

  private conditional(first: Node): Conditional {
    const cases: { condition: Node; value: Node }[] = []
    let condition = first
    while (this.tokens.isMark('?')) {
      this.tokens.next()
      const value = this.expression()
      this.tokens.expectMark(':', 'between the two values of a condition')
      cases.push({ condition, value })
      condition = this.binary(0)
    }
    return { kind: 'conditional', cases, otherwise: condition, start: first.start, end: condition.end }
  }

  private binary(strength: number): Node {
    let left = this.unary()
    let chain: { node: Chain & { rest: Chain['rest'][number][] }; strength: number } | undefined
    for (;;) {
      const token = this.tokens.current
      const binding = token.kind === 'mark' || token.kind === 'name' ? bindings.get(token.value) : undefined
      if (binding === undefined || binding.strength < strength) return left
      this.tokens.next()
      const operand =
        binding.strength === powerStrength
          ? this.deeper(() => this.binary(powerStrength))
          : this.binary(binding.strength + 1)
      if (chain?.strength !== binding.strength) {
        const node = { kind: 'chain' as const, first: left, rest: [], start: left.start, end: operand.end }
        chain = { node, strength: binding.strength }
      }
      chain.node.rest.push({ operator: binding.operator, operand, at: token.start })
      left = chain.node
    }
  }

  private unary(): Node {
    const token = this.tokens.current
    const isNot = token.value === '!' ? token.kind === 'mark' : token.value === 'not' && token.kind === 'name'
    if (isNot) {
      this.tokens.next()
      const operand = this.deeper(() => this.binary(notStrength))
      return { kind: 'unary', operator: 'not', operand, start: token.start, end: operand.end }
    }
    if (token.kind === 'mark' && (token.value === '-' || token.value === '+')) {
      this.tokens.next()
      const operand = this.deeper(() => this.binary(signStrength))
      if (token.value === '-' && operand.kind === 'literal' && typeof operand.value === 'number')
        return { ...operand, value: operand.value === 0 ? 0 : -operand.value, start: token.start }
      return { kind: 'unary', operator: token.value, operand, start: token.start, end: operand.end }
    }
    const value = this.primary()
    // A [ behind a number ends an interval: ]1..5[.
    const isBare = value.kind === 'literal' && typeof value.value !== 'string' && value.grouped !== true
    return isBare ? value : this.postfix(value)
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > maxDepth)
      this.tokens.giveUp(
        `the expression nests more than ${maxDepth} levels deep`,
        'use fewer signs, powers and brackets',
      )
    const result = read()
    this.depth--
    return result
  }

  private postfix(start: Node): Node {
    let node = start
    for (let steps = 0; ; steps++) {
      if (!this.tokens.isMark('.') && !this.tokens.isMark('[')) return node
      if (steps >= maxDepth) this.tokens.giveUp(`a path has more than ${maxDepth} steps`, 'split it')
      node = this.tokens.isMark('.') ? this.dotted(node) : this.bracketed(node)
    }
  }

  private dotted(object: Node): Node {
    this.tokens.next()
    const name = this.tokens.expectName('after the .')
    if (this.tokens.isMark('(')) {
      this.tokens.next()
      const { elements } = this.list(')', 'of the arguments')
      return {
        kind: 'method',
        object,
        name: name.value,
        nameAt: name.start,
        arguments: elements,
        start: object.start,
        end: this.tokens.lastEnd,
      }
    }
    const property: Node = { kind: 'literal', value: name.value, start: name.start, end: name.end }
    return { kind: 'member', object, property, start: object.start, end: name.end }
  }

  private bracketed(object: Node): Node {
    this.tokens.next()
    const from = this.tokens.isMark(':') ? undefined : this.expression()
    if (this.tokens.isMark(':')) {
      this.tokens.next()
      const to = this.tokens.isMark(']') ? undefined : this.expression()
      this.tokens.expectMark(']', 'at the end of the slice')
      return { kind: 'slice', object, from, to, start: object.start, end: this.tokens.lastEnd }
    }
    this.tokens.expectMark(']', 'after the index')
    return { kind: 'member', object, property: from as Node, start: object.start, end: this.tokens.lastEnd }
  }

  private primary(): Node {
    const token = this.tokens.current
    const { start, end } = token
    switch (token.kind) {
      case 'number': {
        this.tokens.next()
        const value = parseNumber(token.value)
        if (value !== undefined) return { kind: 'literal', value, start, end }
        this.tokens.report(
          start,
          `the number ${shortened(token.value)} does not fit`,
          'use at most 28 digits, 28 of them after the point',
        )
        return { kind: 'broken', start, end }
      }
      case 'text':
        this.tokens.next()
        return { kind: 'literal', value: token.value, start, end }
      case 'template':
        return this.template()
      case 'name':
        return this.word()
      case 'mark':
        if (token.value === '#') {
          this.tokens.next()
          return { kind: 'pointer', start, end }
        }
        if (token.value === '{') return this.object()
        if (token.value === '[' || token.value === '(' || token.value === ')' || token.value === ']')
          return this.brackets(token.value)
    }
    return this.tokens.failAtValue()
  }

  private word(): Node {
    const { value, start, end } = this.tokens.current
    if (bindings.has(value)) this.tokens.failAtValue()
    this.tokens.next()
    if (value === 'true' || value === 'false') return { kind: 'literal', value: value === 'true', start, end }
    if (value === 'null') return { kind: 'literal', value: null, start, end }
    if (value === '$root') return { kind: 'root', start, end }
    if (!this.tokens.isMark('(')) return { kind: 'name', name: value, start, end }
    this.tokens.next()
    const { elements, alias } = this.list(')', 'of the arguments')
    return { kind: 'call', name: value, arguments: elements, alias, start, end: this.tokens.lastEnd }
  }

  private template(): Node {
    const start = this.tokens.next().start
    const parts: Node[] = []
    while (this.tokens.current.kind !== 'template-end') {
      const token = this.tokens.current
      if (token.kind === 'piece') {
        this.tokens.next()
        parts.push({ kind: 'literal', value: token.value, start: token.start, end: token.end })
      } else if (this.tokens.isMark('${')) {
        this.tokens.next()
        parts.push(this.recovering(['}'], () => this.expression()))
        this.tokens.expectMark('}', 'at the end of ${')
      } else this.tokens.failAtValue()
    }
    this.tokens.next()
    return { kind: 'template', parts, start, end: this.tokens.lastEnd }
  }

  /** A group, an array or an interval, which look alike until the `..` of the interval. */
  private brackets(open: Bracket): Node {
    const { start } = this.tokens.next()
    if (open === ')' || open === ']') {
      if (!this.tokens.hasRanges)
        this.tokens.failBack('a value is expected', 'is a value or an opening bracket missing?')
      return this.interval(open, start, this.expression())
    }
    if (this.tokens.isMark(open === '(' ? ')' : ']')) {
      if (open === '(') this.tokens.fail('the brackets are empty', 'put a value between them')
      this.tokens.next()
      return { kind: 'array', elements: [], start, end: this.tokens.lastEnd }
    }
    const first = this.recovering([',', open === '(' ? ')' : ']'], () => this.expression())
    if (this.tokens.isMark('..')) return this.interval(open, start, first)
    if (open === '(') {
      this.tokens.expectMark(')', 'to close the ( before it')
      return { ...first, grouped: true }
    }
    let rest: readonly Node[] = []
    if (this.tokens.isMark(',')) {
      this.tokens.next()
      rest = this.list(']', 'of the array').elements
    } else this.tokens.expectMark(']', 'at the end of the array')
    return { kind: 'array', elements: [first, ...rest], start, end: this.tokens.lastEnd }
  }

  private interval(open: Bracket, start: number, left: Node): Node {
    this.tokens.expectMark('..', 'between the bounds of an interval')
    const right = this.expression()
    const close = this.tokens.current.value
    if (this.tokens.current.kind !== 'mark' || !isBracket(close))
      this.tokens.fail(
        'the interval is not closed',
        'end it with ] to include the upper bound, with ) to exclude it',
      )
    this.tokens.next()
    return { kind: 'interval', open, left, right, close, start, end: this.tokens.lastEnd }
  }

  private object(): ObjectNode {
    const { start } = this.tokens.next()
    const entries: { key: Node; value: Node }[] = []
    while (!this.tokens.isMark('}')) {
      entries.push(this.entry())
      if (!this.tokens.isMark(',')) break
      this.tokens.next()
    }
    this.tokens.expectMark('}', 'at the end of the object')
    return { kind: 'object', entries, start, end: this.tokens.lastEnd }
  }

  private entry(): { key: Node; value: Node } {
    const key = this.key()
    this.tokens.expectMark(':', 'after the name of the field')
    return { key, value: this.recovering([',', '}'], () => this.expression()) }
  }

  private key(): Node {
    const { kind, value, start, end } = this.tokens.current
    if (kind === 'name' || kind === 'number' || kind === 'text') {
      this.tokens.next()
      return { kind: 'literal', value, start, end }
    }
    if (!this.tokens.isMark('['))
      this.tokens.fail(
        'the name of a field is expected',
        'write name: value, or [expression]: value for a computed name',
      )
    this.tokens.next()
    const key = this.expression()
    this.tokens.expectMark(']', 'after the computed name')
    return key
  }

  /** Elements up to `close`, which is taken too. A comma may stand before an array's end. */
  private list(close: string, of: string): { elements: Node[]; alias: string | undefined } {
    const elements: Node[] = []
    let alias: string | undefined
    while (!this.tokens.isMark(close)) {
      elements.push(this.recovering([',', close], () => this.expression()))
      if (elements.length === 1 && close === ')' && this.tokens.isName('as')) {
        this.tokens.next()
        alias = this.tokens.expectName('after as').value
      }
      if (!this.tokens.isMark(',')) break
      this.tokens.next()
    }
    this.tokens.expectMark(close, `at the end ${of}`)
    return { elements, alias }
  }

  /** After a mistake, goes on behind the next of `marks` on the same level, so that further mistakes are found too. */
  private recovering(marks: readonly string[], read: () => Node): Node {
    const depth = this.depth
    const { start } = this.tokens.current
    return this.tokens.recovering(marks, read, (): Broken => {
      this.depth = depth
      return { kind: 'broken', start, end: this.tokens.lastEnd }
    })
  }
}

function assignedPath(node: Node): readonly string[] | undefined {
  if (node.grouped === true) return undefined
  if (node.kind === 'name') return [node.name]
  if (node.kind !== 'member' || node.property.kind !== 'literal') return undefined
  const { value } = node.property
  const outer = assignedPath(node.object)
  return typeof value === 'string' && outer !== undefined ? [...outer, value] : undefined
}

const isBracket = (mark: string): mark is Bracket =>
  mark === ')' || mark === ']' || mark === '(' || mark === '['

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 21)}…` : text)
