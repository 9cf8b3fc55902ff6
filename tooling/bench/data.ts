import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Size of one line of `jsonLinesFile`, with its newline. */
export const jsonLineBytes = 125

export const csvHeader = 'id,name,city,qty,price,ts,active'

/** JSON lines of exactly `jsonLineBytes` bytes with nested fields, whole and broken numbers. Made once per folder. */
export function jsonLinesFile(folder: string, count: number): string {
  return dataFile(join(folder, `lines-${count}.jsonl`), count, '', jsonLine)
}

/** CSV with a header and 7 columns; every 50th row has a quoted field with commas and quotes in it. */
export function csvFile(folder: string, count: number): string {
  return dataFile(join(folder, `rows-${count}.csv`), count, `${csvHeader}\n`, csvRow)
}

export function jsonLine(index: number): string {
  const random = scramble(index)
  const text = JSON.stringify({
    id: index,
    ts: '2026-03-01T12:00:00.000Z',
    order: { status: random % 2 === 0 ? 'open' : 'closed', qty: random % 100 },
    reading: (random % 200_000) / 100,
    dev: `d${index % 1000}`,
    p: '',
  })
  const filler = jsonLineBytes - 1 - text.length
  if (filler < 0) throw new RangeError(`line ${index} does not fit into ${jsonLineBytes} bytes`)
  return `${text.slice(0, -2)}${'x'.repeat(filler)}"}\n`
}

export function csvRow(index: number): string {
  const random = scramble(index)
  const name = index % 50 === 0 ? `"Doe, ""JJ"" ${index}"` : `Customer ${index % 10_000}`
  const city = index % 7 === 0 ? '' : 'Bremen'
  const price = (random % 10_000) / 100
  return `${index},${name},${city},${random % 100},${price},2026-03-01T12:00:00Z,${index % 2 === 1}\n`
}

/** CSV with a header and 7 columns, the last of which is a JSON document. */
export function csvWithDocumentsFile(folder: string, count: number): string {
  const header = 'id,name,city,qty,price,ts,payload\n'
  return dataFile(join(folder, `documents-${count}.csv`), count, header, csvRowWithDocument)
}

function csvRowWithDocument(index: number): string {
  const [id, name, city, qty, price, ts] = [
    index,
    ...csvRow(index * 50 + 1)
      .split(',')
      .slice(1),
  ]
  const document = `{"sku":"A-${index % 1000}","lines":[${index % 7},2.50],"gift":${index % 3 === 0}}`
  return `${id},${name},${city},${qty},${price},${ts},"${document.replaceAll('"', '""')}"\n`
}

function dataFile(path: string, count: number, head: string, line: (index: number) => string): string {
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'w')
  let text = head
  for (let index = 0; index < count; index++) {
    text += line(index)
    if (text.length > 1 << 20) {
      writeSync(file, text)
      text = ''
    }
  }
  writeSync(file, text)
  closeSync(file)
  renameSync(unfinished, path)
  return path
}

/** The same well-mixed number from 0 to 2^32 - 1 for the same index, in every run. */
function scramble(index: number): number {
  let mixed = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
