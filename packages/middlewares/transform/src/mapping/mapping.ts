import {
  compilePaths,
  JsonSyntaxError,
  type PathProgram,
  type PathStep,
  parsePath,
  type Ranges,
} from '@mqb/json'
import { copyBytes } from '../copy-bytes.ts'
import { asFailure, TransformFailure } from '../failure.ts'
import { pathText } from '../path-text.ts'

/** Where the value of one output key comes from. */
export interface MappingRule {
  readonly path: string
  /** JSON text for a source that is absent. */
  readonly fallback?: string
  readonly required: boolean
}

/** One mistake in a mapping. */
export interface MappingProblem {
  readonly key: string
  /** It is about the path, not about the output key. */
  readonly atPath: boolean
  readonly what: string
  readonly mend: string
}

/** A mapping cannot be used. */
export class MappingError extends Error {
  override readonly name: string = 'MappingError'
  readonly problems: readonly MappingProblem[]

  constructor(problems: readonly MappingProblem[]) {
    super(problems.map(({ key, what }) => `${key}: ${what}`).join('\n'))
    this.problems = problems
  }
}

/** A member of the object that is made. */
interface Member {
  /** `"name":` */
  readonly key: Buffer
  readonly name: string
  /** A rule, or an object of further members. */
  readonly source: Source | Member[]
}

interface Source {
  readonly outputKey: string
  readonly steps: readonly PathStep[]
  /** Where its range begins. */
  readonly slot: number
  readonly fallback: Buffer | undefined
  readonly required: boolean
}

const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c

/** Makes one object of values found in another document. They are copied as they are written. */
export class Mapping {
  private readonly members: readonly Member[]
  private readonly program: PathProgram
  private readonly ranges: Ranges
  /** Bytes of an output with every default in it and without any value. */
  private readonly overhead: number
  private output: Buffer = Buffer.allocUnsafe(1024)

  /** @throws {MappingError} with every mistake in it. */
  constructor(rules: ReadonlyMap<string, MappingRule>) {
    const problems: MappingProblem[] = []
    const paths: (readonly PathStep[])[] = []
    const known = new Map<string, number>()
    const members: Member[] = []
    for (const [key, rule] of rules) {
      const steps = readPath(key, rule.path, problems)
      if (steps === undefined) continue
      const spelt = JSON.stringify(steps)
      const slot = known.get(spelt) ?? paths.push(steps) - 1
      known.set(spelt, slot)
      const fallback = rule.fallback === undefined ? undefined : Buffer.from(rule.fallback)
      place(members, key, { outputKey: key, steps, slot, fallback, required: rule.required }, problems)
    }
    if (problems.length > 0) throw new MappingError(problems)
    this.members = members
    this.program = compilePaths(paths)
    this.ranges = this.program.createRanges()
    this.overhead = overheadOf(members)
  }

  /**
   * Makes the object for the document `bytes[start, end)`.
   *
   * @returns its bytes, which are good until the next call.
   * @throws {TransformFailure}
   */
  apply(bytes: Buffer, start: number, end: number): Buffer {
    const { ranges } = this
    try {
      this.program.find(bytes, start, end, ranges)
    } catch (error) {
      throw error instanceof JsonSyntaxError ? asFailure(error) : error
    }
    let length = this.overhead
    for (const member of this.members) length += this.valueBytes(member)
    if (length > this.output.length) this.output = Buffer.allocUnsafe(length)
    const written = this.object(this.members, bytes, 0)
    const result = this.output.subarray(0, written)
    // One large message does not keep its room for ever.
    if (this.output.length > 1 << 20) this.output = Buffer.allocUnsafe(1024)
    return result
  }

  private valueBytes({ source }: Member): number {
    if (Array.isArray(source)) return source.reduce((sum, member) => sum + this.valueBytes(member), 0)
    const { slot } = source
    return (this.ranges[2 * slot + 1] as number) - (this.ranges[2 * slot] as number)
  }

  private object(members: readonly Member[], bytes: Buffer, at: number): number {
    const { output } = this
    let write = at
    output[write++] = openBrace
    for (const { key, source } of members) {
      const before = write
      if (before > at + 1) output[write++] = comma
      write = copyBytes(key, 0, key.length, output, write)
      const inside = write
      write = Array.isArray(source) ? this.object(source, bytes, write) : this.value(source, bytes, write)
      // Nothing was there: no member. An object that would hold nothing is left out too.
      if (write === inside || (Array.isArray(source) && write === inside + 2)) write = before
    }
    output[write++] = closeBrace
    return write
  }

  private value(source: Source, bytes: Buffer, at: number): number {
    const { outputKey, steps, slot, fallback, required } = source
    const start = this.ranges[2 * slot] as number
    if (start >= 0) return copyBytes(bytes, start, this.ranges[2 * slot + 1] as number, this.output, at)
    if (fallback !== undefined) return copyBytes(fallback, 0, fallback.length, this.output, at)
    if (required)
      throw new TransformFailure(
        pathText(steps),
        'required',
        `the field is absent, and the mapping requires it for ${JSON.stringify(outputKey)}`,
      )
    return at
  }
}

function readPath(key: string, path: string, problems: MappingProblem[]): PathStep[] | undefined {
  try {
    return parsePath(path)
  } catch (error) {
    problems.push({
      key,
      atPath: true,
      what: (error as SyntaxError).message,
      mend: 'name a field of the payload, such as $.customer.name or $.items[0].sku',
    })
    return undefined
  }
}

/** Puts a source where its output key says: dots nest. */
function place(members: Member[], outputKey: string, source: Source, problems: MappingProblem[]): void {
  const names = outputKey.split('.')
  if (names.includes('')) {
    problems.push({
      key: outputKey,
      atPath: false,
      what: `the output key ${JSON.stringify(outputKey)} has a part without a name`,
      mend: 'put a name on both sides of each dot',
    })
    return
  }
  let level = members
  for (const [depth, name] of names.entries()) {
    const isLast = depth === names.length - 1
    const present = level.find(member => member.name === name)
    if (present === undefined) {
      const inner: Member[] = []
      level.push({ name, key: Buffer.from(`${JSON.stringify(name)}:`), source: isLast ? source : inner })
      level = inner
    } else if (isLast || !Array.isArray(present.source)) {
      problems.push({
        key: outputKey,
        atPath: false,
        what: `${JSON.stringify(outputKey)} and ${JSON.stringify(firstKeyOf(present))} can not both be written`,
        mend: 'give one of them another name',
      })
      return
    } else level = present.source
  }
}

function firstKeyOf({ source }: Member): string {
  return Array.isArray(source) ? firstKeyOf(source[0] as Member) : source.outputKey
}

function overheadOf(members: readonly Member[]): number {
  let bytes = 2
  for (const { key, source } of members)
    bytes += 1 + key.length + (Array.isArray(source) ? overheadOf(source) : (source.fallback?.length ?? 0))
  return bytes
}
