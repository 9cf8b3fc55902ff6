import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { csvFile, csvHeader, jsonLineBytes, jsonLinesFile } from '../data.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqb-bench-data-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('benchmark data', () => {
  it('has JSON lines of exactly the promised size that parse', () => {
    const text = readFileSync(jsonLinesFile(folder, 20_000), 'utf8')
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(20_000)
    expect(new Set(lines.map(line => line.length + 1))).toEqual(new Set([jsonLineBytes]))
    expect(lines.map(line => (JSON.parse(line) as { id: number }).id).at(-1)).toBe(19_999)
  })

  it('has CSV of seven columns with quoted rows', () => {
    const [head, ...rows] = readFileSync(csvFile(folder, 200), 'utf8').trimEnd().split('\n')
    expect(head).toBe(csvHeader)
    expect(rows).toHaveLength(200)
    expect(rows[0]).toMatch(/^0,"Doe, ""JJ"" 0",/)
    expect(rows[1]?.split(',')).toHaveLength(7)
  })

  it('is written once and used again', () => {
    const first = statSync(jsonLinesFile(folder, 10)).mtimeMs
    expect(statSync(jsonLinesFile(folder, 10)).mtimeMs).toBe(first)
  })
})
