import { failure, type Logger, type Message, MqbError, type Outcome, toMqbError } from '@mqb/core'
import type { Encoder } from '../encoder.ts'
import { fileError } from '../errors.ts'
import type { OutputFile } from '../output-file.ts'
import type { Parts } from '../parts.ts'
import { type Cells, formatRow, type RowRules, readCells } from './row-writer.ts'

/** Rows under the columns of the configuration, of the file that is appended to, or of the first message. */
export class CsvEncoder implements Encoder {
  readonly #rules: RowRules
  readonly #target: string
  readonly #log: Logger
  #columns: readonly string[] | undefined
  #isTakenOver = false
  #warned = false

  constructor(options: { readonly rules: RowRules; readonly target: string; readonly log: Logger }) {
    this.#rules = options.rules
    this.#target = options.target
    this.#log = options.log
    this.#columns = options.rules.dialect.columns
  }

  /** Takes over the header of a file that has one: rows below it must fit it. */
  async prepare(file: OutputFile): Promise<void> {
    const { dialect } = this.#rules
    if (!dialect.header) return
    await file.ensureOpen()
    if (file.columns === undefined || file.columns === this.#columns) return
    const listed = dialect.columns
    if (listed !== undefined && !this.#isTakenOver && listed.join('\0') !== file.columns.join('\0'))
      this.#log.warn(
        `${this.#target} has a header with other columns than \`columns\` lists: the header is kept`,
      )
    this.#columns = file.columns
    this.#isTakenOver = true
  }

  get columns(): readonly string[] | undefined {
    return this.#rules.dialect.header ? this.#columns : undefined
  }

  header(): Buffer | undefined {
    const { dialect, delimiter } = this.#rules
    if (!dialect.header || this.#columns === undefined) return undefined
    return Buffer.concat([Buffer.from(formatRow(this.#columns, this.#rules)), delimiter.bytes])
  }

  encode(messages: readonly Message[], parts: Parts): Map<number, Outcome> | undefined {
    const { delimiter } = this.#rules
    let failures: Map<number, Outcome> | undefined
    for (let index = 0; index < messages.length; index++) {
      try {
        const row = Buffer.from(this.#row(messages[index] as Message))
        parts.addCopy(row, 0, row.length)
        parts.addCopy(delimiter.bytes, 0, delimiter.bytes.length)
      } catch (error) {
        failures ??= new Map()
        failures.set(index, failure(MqbError.is(error) ? error : toMqbError(error, 'permanent')))
      }
    }
    return failures
  }

  #row(message: Message): string {
    const cells = readCells(message, this.#rules.nested)
    this.#columns ??= [...cells.keys()]
    const columns = this.#columns
    if (cells.size !== columns.length || columns.some(column => !cells.has(column)))
      this.#mismatch(cells, columns)
    return formatRow(
      columns.map(column => cells.get(column) ?? ''),
      this.#rules,
    )
  }

  #mismatch(cells: Cells, columns: readonly string[]): void {
    const missing = columns.filter(column => !cells.has(column))
    const extra = [...cells.keys()].filter(column => !columns.includes(column))
    const what = [
      ...(missing.length === 0 ? [] : [`lacks ${list(missing)}`]),
      ...(extra.length === 0 ? [] : [`has ${list(extra)} over`]),
    ].join(' and ')
    if (this.#rules.onMismatch === 'fail')
      throw fileError({ code: 'MQB_FILE_COLUMNS', what: `the payload ${what}` })
    if (this.#warned) return
    this.#warned = true
    this.#log.warn(
      `a payload for ${this.#target} ${what}: missing cells are written empty, extra fields are dropped; further such payloads are not reported`,
      { code: 'MQB_FILE_COLUMNS', missing, extra },
    )
  }
}

function list(columns: readonly string[]): string {
  const shown = columns.slice(0, 5).map(column => JSON.stringify(column))
  return shown.join(', ') + (columns.length > 5 ? ` and ${columns.length - 5} more` : '')
}
