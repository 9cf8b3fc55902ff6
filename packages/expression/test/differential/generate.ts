import { oneOf, type Random, upTo } from './random.ts'

type Kind = 'number' | 'text' | 'boolean' | 'numbers' | 'texts' | 'object' | 'objects' | 'date' | 'null'

const fields: Readonly<Record<Kind, readonly string[]>> = {
  number: ['n', 'price', 'o.count', 'list[1]', 'rows[0].qty', 'deep.a.b.c'],
  text: ['s', 'name', 'o.label', 'words[0]', 'rows[1].sku', 'o["a b"]'],
  boolean: ['t', 'o.open', 'f'],
  numbers: ['list', 'o.list', 'none'],
  texts: ['words'],
  object: ['o', 'deep', 'rows[0]', 'deep.a'],
  objects: ['rows'],
  date: [],
  null: ['nil', 'absent', 'o.absent', 'absent.deeper', 'nil.x', 'list[9]', 's.x'],
}

/** An expression that mostly makes sense: about one in ten operands is of a kind that does not fit. */
export class Generator {
  private readonly random: Random
  private closures: string[] = []

  constructor(random: Random) {
    this.random = random
  }

  expression(): string {
    if (this.random() < 0.04) return this.assignments()
    const kind = this.pick<Kind>([
      'number',
      'number',
      'text',
      'boolean',
      'boolean',
      'numbers',
      'texts',
      'object',
      'objects',
      'date',
    ])
    const written = this.of(kind, 4)
    // Texts show every digit and every zero of a number.
    return kind === 'number' && this.random() < 0.6 ? `string(${written})` : written
  }

  private assignments(): string {
    const names = ['x', 'y', 'o.count', 'o.fresh', 'z.deep.er', 'n']
    const parts = Array.from(
      { length: 1 + upTo(this.random, 2) },
      () => `${this.pick(names)} = ${this.of(this.anyKind(), 2)}`,
    )
    if (this.random() < 0.6) parts.push(this.pick(['x', 'y + 1', 'o', 'z', 'n * 2', 'o.count', '[x, y, n]']))
    return parts.join('; ')
  }

  private pick<T>(choices: readonly T[]): T {
    return oneOf(this.random, choices)
  }

  private anyKind(): Kind {
    return this.pick<Kind>([
      'number',
      'text',
      'boolean',
      'numbers',
      'texts',
      'object',
      'objects',
      'date',
      'null',
    ])
  }

  private of(wanted: Kind, depth: number): string {
    const kind = this.random() < 0.06 ? this.anyKind() : wanted
    if (depth <= 0 || this.random() < 0.15) return this.leaf(kind)
    if (this.random() < 0.06) return this.general(kind, depth - 1)
    switch (kind) {
      case 'number':
        return this.number(depth - 1)
      case 'text':
        return this.text(depth - 1)
      case 'boolean':
        return this.boolean(depth - 1)
      case 'numbers':
        return this.numbers(depth - 1)
      case 'texts':
        return this.texts(depth - 1)
      case 'object':
        return this.object(depth - 1)
      case 'objects':
        return this.objects(depth - 1)
      case 'date':
        return this.date(depth - 1)
      case 'null':
        return this.leaf('null')
    }
  }

  private general(kind: Kind, depth: number): string {
    return this.pick([
      () => `(${this.of(kind, depth)})`,
      () => `(${this.of('boolean', depth)} ? ${this.of(kind, depth)} : ${this.of(kind, depth)})`,
      () => `(${this.of('null', depth)} ?? ${this.of(kind, depth)})`,
      () => `(${this.of(kind, depth)} ?? ${this.of(kind, depth)})`,
    ])()
  }

  private leaf(kind: Kind): string {
    const element = this.closures.at(-1)
    if (element === kind && this.random() < 0.6) return '#'
    if (element === 'object' && this.random() < 0.6)
      return kind === 'number' ? '#.qty' : kind === 'text' ? '#.sku' : kind === 'texts' ? '#.tags' : '#'
    if (fields[kind].length > 0 && this.random() < 0.5) return this.pick(fields[kind])
    switch (kind) {
      case 'number':
        return this.numberLiteral()
      case 'text':
        return this.pick([
          "'abc'",
          '"a"',
          "''",
          "'12'",
          "'1.50'",
          "'x,y'",
          "'grün'",
          "'day'",
          "'2023-10-15'",
          "' 7 '",
          "'1e3'",
        ])
      case 'boolean':
        return this.pick(['true', 'false'])
      case 'numbers':
        return this.pick(['[1, 2, 3]', '[]', '[1.5, 2.25]', '[3, 3, 1]', '[-1, 0.10]'])
      case 'texts':
        return this.pick(["['a', 'b']", '[]', "['abc', '12', '']"])
      case 'object':
        return this.pick(['{ a: 1 }', '{}', "{ k: 'v' }", '{ a: { b: 2 } }'])
      case 'objects':
        return this.pick(["[{ qty: 1, sku: 'q', tags: [] }]", '[]'])
      case 'date':
        return this.pick([
          "d('2023-10-15')",
          "d('2024-02-29 12:30', 'Europe/Berlin')",
          "d('nonsense')",
          'd(1700000000123)',
        ])
      case 'null':
        return 'null'
    }
  }

  private numberLiteral(): string {
    const digits = upTo(this.random, this.pick([9, 9, 99, 9999, 9999999]))
    return this.pick([
      () => String(digits),
      () => String(digits),
      () => `${digits}.${upTo(this.random, 9999)}`,
      () => `${digits}.${this.pick(['0', '50', '125', '000'])}`,
      () => `-${digits}`,
      () => `${digits}e${this.pick(['1', '2', '-2', '-5'])}`,
      () => `0.${'0'.repeat(upTo(this.random, 8))}${digits}`,
    ])()
  }

  private number(depth: number): string {
    const n = () => this.of('number', depth)
    const list = () => this.of('numbers', depth)
    return this.pick([
      () => `(${n()} + ${n()})`,
      () => `${n()} + ${n()}`,
      () => `${n()} - ${n()}`,
      () => `(${n()} - ${n()})`,
      () => `${n()} * ${n()}`,
      () => `(${n()} * ${n()})`,
      () => `${n()} / ${n()}`,
      () => `(${n()} / ${n()})`,
      () => `${n()} % ${this.pick(['3', '2.5', '0.7', '-4', '1.00'])}`,
      () => `(${n()}) ^ ${this.pick(['2', '3', '0', '1', '-1', '5', '-2', '2.0'])}`,
      () => `-(${n()})`,
      () => `abs(${n()})`,
      () => `round(${n()})`,
      () => `round(${n()}, ${upTo(this.random, 4)})`,
      () => `trunc(${n()}, ${upTo(this.random, 4)})`,
      () => `${this.pick(['floor', 'ceil', 'trunc'])}(${n()})`,
      () => `${this.pick(['sum', 'avg', 'min', 'max', 'median', 'mode'])}(${list()})`,
      () => `len(${this.of(this.pick<Kind>(['text', 'texts', 'numbers', 'objects']), depth)})`,
      () => `count(${this.closure('numbers', 'number', 'boolean', depth)})`,
      () => `number(${this.of(this.pick<Kind>(['number', 'text', 'boolean']), depth)})`,
      () => `fuzzyMatch(${this.of('text', depth)}, ${this.of('text', depth)})`,
      () => `(${list()})[${upTo(this.random, 3)}]`,
      () => `len(keys(${this.of('object', depth)}))`,
      () => this.dateNumber(depth),
      () => this.oldDateNumber(),
    ])()
  }

  private text(depth: number): string {
    const s = () => this.of('text', depth)
    return this.pick([
      () => `${s()} + ${s()}`,
      () => `\`a ${'${'}${this.of(this.pick<Kind>(['text', 'number', 'boolean', 'null']), depth)}} b\``,
      () => `${this.pick(['upper', 'lower', 'trim', 'string'])}(${s()})`,
      () => `string(${this.of(this.pick<Kind>(['number', 'boolean', 'null']), depth)})`,
      () => `type(${this.of(this.anyKind(), depth)})`,
      () => `(${s()})[${upTo(this.random, 2)}:${upTo(this.random, 4)}]`,
      () => `(${s()})[${upTo(this.random, 3)}]`,
      () => `(${this.of('texts', depth)})[${upTo(this.random, 2)}]`,
      () =>
        `${this.of('date', depth)}.format(${this.pick(["'%Y-%m-%d %H:%M:%S'", "'%j %U %W %V %u %a %b %e'", "'%y %I %p %.3f'", "'%G %z %:z'"])})`,
      () => `${this.pick(['monthString', 'weekdayString', 'dateString'])}(${this.oldDate()})`,
    ])()
  }

  private boolean(depth: number): string {
    const b = () => this.of('boolean', depth)
    const n = () => this.of('number', depth)
    const s = () => this.of('text', depth)
    const compare = () => this.pick(['==', '!=', '<', '<=', '>', '>='])
    const interval = () =>
      `${this.pick(['[', '(', ']', ')'])}${n()}..${n()}${this.pick([']', ')', '[', '('])}`
    return this.pick([
      () => `${b()} and ${b()}`,
      () => `${b()} or ${b()}`,
      () => `(${b()} or ${b()})`,
      () => `not ${b()}`,
      () => `not (${b()})`,
      () => `!(${b()})`,
      () => `${n()} ${compare()} ${n()}`,
      () => `${n()} ${compare()} ${n()}`,
      () => `${s()} ${this.pick(['==', '!='])} ${s()}`,
      () => `${this.of(this.anyKind(), depth)} ${this.pick(['==', '!='])} ${this.of(this.anyKind(), depth)}`,
      () => `${n()} ${this.pick(['in', 'not in'])} ${this.of('numbers', depth)}`,
      () => `${s()} ${this.pick(['in', 'not in'])} ${this.of(this.pick<Kind>(['texts', 'object']), depth)}`,
      () => `${n()} ${this.pick(['in', 'not in'])} ${interval()}`,
      () => `${this.pick(['startsWith', 'endsWith', 'contains'])}(${s()}, ${s()})`,
      () => `contains(${this.of('numbers', depth)}, ${n()})`,
      () => `matches(${s()}, ${this.pick(["'^[a-z]+$'", "'[0-9]+'", "'a|b'", "'(?i)HELLO'", "'^.{3}$'"])})`,
      () =>
        `${this.pick(['some', 'all', 'none', 'one'])}(${this.closure('numbers', 'number', 'boolean', depth)})`,
      () =>
        `${this.pick(['some', 'all', 'none', 'one'])}(${this.closure('objects', 'object', 'boolean', depth)})`,
      () => `isNumeric(${this.of(this.anyKind(), depth)})`,
      () => `bool(${this.of(this.anyKind(), depth)})`,
      () => `${this.of('date', depth)} ${compare()} ${this.of('date', depth)}`,
      () => this.dateTest(depth),
    ])()
  }

  private numbers(depth: number): string {
    return this.pick([
      () => `[${this.of('number', depth)}, ${this.of('number', depth)}]`,
      () => `map(${this.closure('numbers', 'number', 'number', depth)})`,
      () => `map(${this.closure('objects', 'object', 'number', depth)})`,
      () => `filter(${this.closure('numbers', 'number', 'boolean', depth)})`,
      () => `map([1..${upTo(this.random, 5)}], # * ${this.numberLiteral()})`,
      () => `map((0..${upTo(this.random, 5)}), #)`,
      () => `flatten([${this.of('numbers', depth)}, ${this.of('number', depth)}])`,
      () => `merge([${this.of('numbers', depth)}, ${this.of('numbers', depth)}])`,
      () => `keys(${this.of('numbers', depth)})`,
      () => `(${this.of('numbers', depth)})[${upTo(this.random, 1)}:${upTo(this.random, 2)}]`,
      () => `(${this.of('numbers', depth)})[${upTo(this.random, 2)}:]`,
      () => `fuzzyMatch(${this.of('texts', depth)}, ${this.of('text', depth)})`,
    ])()
  }

  private texts(depth: number): string {
    return this.pick([
      () => `[${this.of('text', depth)}, ${this.of('text', depth)}]`,
      () => `split(${this.of('text', depth)}, ${this.pick(["','", "''", "'a'", "'zz'"])})`,
      () => `map(${this.closure('texts', 'text', 'text', depth)})`,
      () => `map(${this.closure('objects', 'object', 'text', depth)})`,
      () => `flatMap(${this.closure('objects', 'object', 'texts', depth)})`,
      () => `filter(${this.closure('texts', 'text', 'boolean', depth)})`,
      () =>
        `extract(${this.of('text', depth)}, ${this.pick(["'([a-z])([a-z])?'", "'[0-9]+'", "'(x)|(y)'"])})`,
    ])()
  }

  private object(depth: number): string {
    return this.pick([
      () => `{ a: ${this.of(this.anyKind(), depth)}, b: ${this.of('number', depth)} }`,
      () => `{ [${this.of('text', depth)}]: ${this.of('number', depth)} }`,
      () => `{ 'x y': ${this.of('text', depth)}, 1: ${this.of('numbers', depth)} }`,
      () => `merge([${this.of('object', depth)}, ${this.of('object', depth)}])`,
      () => `mergeDeep([${this.of('object', depth)}, ${this.of('object', depth)}])`,
      () => `(${this.of('objects', depth)})[${upTo(this.random, 1)}]`,
    ])()
  }

  private objects(depth: number): string {
    return this.pick([
      () => `filter(${this.closure('objects', 'object', 'boolean', depth)})`,
      () => `map(${this.closure('numbers', 'number', 'object', depth)})`,
      () => `[${this.of('object', depth)}]`,
      () => `map(rows as r, { qty: r.qty, sku: r.sku, tags: [] })`,
      () => `map(rows as r, { all: map(r.tags as tag, r.sku + tag) })`,
    ])()
  }

  private closure(source: Kind, element: Kind, result: Kind, depth: number): string {
    const array = this.of(source, depth)
    this.closures.push(element)
    const body = this.of(result, depth)
    this.closures.pop()
    return `${array}, ${body}`
  }

  private unit(): string {
    return `'${this.pick(['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'd', 'M', 'y', 'q'])}'`
  }

  private date(depth: number): string {
    const base = () => this.of('date', depth)
    const zone = () => this.pick(["'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Asia/Kolkata'"])
    const day = () =>
      `'20${this.pick(['00', '19', '23', '24'])}-${this.pick(['01', '02', '03', '10', '12'])}-${this.pick(['01', '15', '26', '28', '29', '31'])}${this.pick(['', ' 02:30', ' 23:59:59'])}'`
    return this.pick([
      () => `d(${day()})`,
      () => `d(${day()}, ${zone()})`,
      () => `d(${upTo(this.random, 2000000000)}000)`,
      () =>
        `${base()}.${this.pick(['add', 'sub'])}(${this.pick(["'1d'", "'2h 30min'", "'1mo 2d'", "'1y'", "'3w'", "'1q'"])})`,
      () => `${base()}.${this.pick(['add', 'sub'])}(${upTo(this.random, 40)}, ${this.unit()})`,
      () => `${base()}.${this.pick(['startOf', 'endOf'])}(${this.unit()})`,
      () => `${base()}.set(${this.unit()}, ${upTo(this.random, 40)})`,
      () => `${base()}.tz(${zone()})`,
      () => `${this.pick(['min', 'max'])}([${base()}, ${base()}])`,
    ])()
  }

  private dateNumber(depth: number): string {
    const getter = this.pick([
      'second',
      'minute',
      'hour',
      'day',
      'dayOfYear',
      'week',
      'weekday',
      'month',
      'quarter',
      'year',
      'timestamp',
    ])
    return this.random() < 0.6
      ? `${this.of('date', depth)}.${getter}()`
      : `${this.of('date', depth)}.diff(${this.of('date', depth)}${this.random() < 0.8 ? `, ${this.unit()}` : ''})`
  }

  private dateTest(depth: number): string {
    return this.pick([
      () =>
        `${this.of('date', depth)}.${this.pick(['isSame', 'isBefore', 'isAfter', 'isSameOrBefore', 'isSameOrAfter'])}(${this.of('date', depth)}${this.random() < 0.6 ? `, ${this.unit()}` : ''})`,
      () => `${this.of('date', depth)}.${this.pick(['isValid', 'isLeapYear'])}()`,
      () => `${this.of('date', depth)} in [${this.of('date', depth)}..${this.of('date', depth)})`,
    ])()
  }

  private oldDate(): string {
    return this.pick([
      "'2023-10-15'",
      "'2023-10-15 10:11:12'",
      "'2024-02-29T10:11:12+02:00'",
      '1700000000',
      "'x'",
      '-86400',
      'n',
    ])
  }

  private oldDateNumber(): string {
    const units = ['s', 'minute', 'hours', 'd', 'w', 'M', 'year', 'q']
    return this.pick([
      () =>
        `${this.pick(['year', 'monthOfYear', 'dayOfMonth', 'dayOfYear', 'dayOfWeek', 'weekOfYear', 'date'])}(${this.oldDate()})`,
      () => `${this.pick(['startOf', 'endOf'])}(${this.oldDate()}, '${this.pick(units)}')`,
      () => `time(${this.pick(["'10:11:12'", "'9:05'", "'2023-10-15 10:11:12'", '77', "'25:00'"])})`,
      () =>
        `duration(${this.pick(["'1h 30m'", "'2days'", "'500ms'", "'1w'", "'1month'", "'1.5h'", "'x'", '9'])})`,
    ])()
  }
}
