import type { Capabilities, Lack } from '@mqb/core'
import { table } from './markdown.ts'

/** A line of the table, with the side on which it means something. */
interface Row {
  readonly label: string
  readonly side?: 'input' | 'output'
  show(capabilities: Capabilities): string
}

/** Every capability in words, in the order of the table. A new one without words does not compile. */
const words: Readonly<Record<keyof Capabilities, readonly Row[]>> = {
  acks: [
    { label: 'messages stay with the source until committed', side: 'input', show: c => yesNo(c.acks) },
    { label: 'a positive answer means the sink has them', side: 'output', show: c => yesNo(c.acks) },
  ],
  commitOrder: [
    {
      label: 'commits',
      side: 'input',
      show: c => (c.commitOrder === 'ordered' ? 'in order' : 'in any order'),
    },
  ],
  rewinds: [
    {
      label: 'after a failure',
      side: 'input',
      show: afterFailure,
    },
  ],
  startsOver: [
    { label: 'begins again at each start', side: 'input', show: c => yesNo(c.startsOver === true) },
  ],
  replies: [{ label: 'replies to a caller', show: c => c.replies }],
  orderedPublish: [{ label: 'order of sends is kept', side: 'output', show: c => orderOf(c.orderedPublish) }],
  position: [{ label: 'position in the source', side: 'input', show: c => positionOf(c.position) }],
  stableId: [{ label: 'same id when read again', side: 'input', show: c => yesNo(c.stableId) }],
  pins: [{ label: 'can be pinned', side: 'input', show: c => yesNo(c.pins) }],
  idempotent: [{ label: 'writing again leaves one', side: 'output', show: c => idempotenceOf(c.idempotent) }],
  needsPosition: [{ label: 'asks inputs for positions', side: 'output', show: c => yesNo(c.needsPosition) }],
  keepsAll: [{ label: 'passes on every message', show: c => yesNo(c.keepsAll) }],
  maxPayloadBytes: [
    {
      label: 'largest payload',
      show: c => (c.maxPayloadBytes === null ? 'no limit' : `${c.maxPayloadBytes} bytes`),
    },
  ],
  lacks: [{ label: 'cannot carry', show: c => lacksOf(c.lacks) }],
  tls: [{ label: 'TLS', show: c => yesNo(c.tls) }],
}

const rows: readonly Row[] = Object.values(words).flat()

export interface CapabilityColumn {
  readonly title: string
  readonly side: 'input' | 'output'
  readonly capabilities: Capabilities
}

/** One column per example configuration. */
export function capabilityTable(columns: readonly CapabilityColumn[]): string {
  return table(
    ['', ...columns.map(column => `${column.title} (${column.side})`)],
    rows
      .map(row => [
        row.label,
        ...columns.map(column =>
          row.side === undefined || row.side === column.side ? row.show(column.capabilities) : '–',
        ),
      ])
      .filter(cells => cells.slice(1).some(cell => cell !== '–')),
  )
}

/** What differs between two promises, in words; empty when nothing does. */
export function capabilityChanges(before: Capabilities, after: Capabilities): string[] {
  return rows
    .filter(row => row.show(before) !== row.show(after))
    .map(row => `${row.label}: ${row.show(after)}`)
}

function afterFailure({ acks, commitOrder, rewinds }: Capabilities): string {
  if (!acks) return 'nothing comes again'
  if (commitOrder === 'any') return 'the failed message alone comes again'
  return rewinds === true ? 'it goes on from the failed message' : 'it is opened again at the failed message'
}

const lackWords: Readonly<Record<Lack, string>> = {
  metadata: 'metadata',
  binary: 'bytes that are no text, line breaks',
  empty: 'empty payloads',
  null: 'null payloads',
}

const lacksOf = (lacks: readonly Lack[]) =>
  lacks.length === 0 ? 'nothing' : lacks.map(lack => lackWords[lack]).join('; ')

const yesNo = (value: boolean) => (value ? 'yes' : 'no')

function orderOf(order: Capabilities['orderedPublish']): string {
  if (order === 'no') return 'no'
  return order === 'serial' ? 'yes, one send at a time' : 'yes, sends may overlap'
}

function positionOf(position: Capabilities['position']): string {
  if (position === null) return 'none'
  const keys = position.keys.map(key => `\`${key}\``).join(', ')
  return position.replayable ? `${keys}, replayable` : `${keys}, not replayable`
}

function idempotenceOf(idempotent: Capabilities['idempotent']): string {
  if (idempotent === 'no') return 'no'
  return idempotent === 'by_id' ? 'yes, by message id' : 'yes, by source position'
}
