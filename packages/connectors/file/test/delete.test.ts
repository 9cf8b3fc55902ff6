import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { ALL_ACKED, ack, failure, MqbError } from '@mqb/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../src/file-system.ts'
import {
  messagesOf,
  never,
  openInput,
  openOutput,
  plenty,
  readAll,
  receiveSome,
  scratch,
  texts,
} from './support/harness.ts'

let folder: ReturnType<typeof scratch>
let path: string
beforeEach(() => {
  folder = scratch()
  path = folder.path('queue')
})
afterEach(() => folder.remove())

const two = { messages: 2, bytes: 1 << 20 }
const content = () => readFileSync(path, 'utf8')
const later = failure(new MqbError({ kind: 'retryable', code: 'MQB_TEST', what: 'later' }))

describe('consume with delete', () => {
  it('removes acknowledged records from the front; the file ends empty', async () => {
    writeFileSync(path, 'a\nb\nc\nd\n')
    const { end } = await openInput({ path, format: 'raw', delete: true })
    const first = await end.receive(two, never)
    await first.commit(ALL_ACKED)
    expect(content()).toBe('c\nd\n')
    appendFileSync(path, 'e\n')
    expect(texts(await readAll(end))).toEqual(['c', 'd', 'e'])
    expect(content()).toBe('')
    appendFileSync(path, 'f\n')
    expect(texts(await readAll(end))).toEqual(['f'])
    await end.close()
    expect(content()).toBe('')
  })

  it('keeps a nacked record and what is behind it, for this run and the next', async () => {
    writeFileSync(path, 'a\nb\nc\n')
    const { end } = await openInput({ path, format: 'raw', delete: true })
    const batch = await end.receive(plenty, never)
    await batch.commit([ack(), later, ack()])
    expect(content()).toBe('b\nc\n')
    const again = await end.receive(plenty, never)
    expect(texts(again.messages)).toEqual(['b', 'c'])
    await end.close()
    expect(content()).toBe('b\nc\n')
    const next = await openInput({ path, format: 'raw', delete: true })
    expect(texts(await readAll(next.end))).toEqual(['b', 'c'])
    await next.end.close()
  })

  it('keeps the header of a CSV file', async () => {
    writeFileSync(path, 'a,b\n1,2\n3,4\n')
    const { end } = await openInput({ path, format: 'csv', delete: true })
    const batch = await end.receive({ messages: 1, bytes: 1 }, never)
    await batch.commit(ALL_ACKED)
    expect(content()).toBe('a,b\n3,4\n')
    expect(texts(await readAll(end))).toEqual(['{"a":"3","b":"4"}'])
    await end.close()
    expect(content()).toBe('a,b\n')
  })

  it('removes nothing when the rewrite fails, and says so', async () => {
    writeFileSync(path, 'a\nb\n')
    const fileSystem = {
      ...nodeFileSystem,
      rename: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    }
    const { end } = await openInput({ path, format: 'raw', delete: true }, {}, { fileSystem })
    const batch = await end.receive({ messages: 1, bytes: 1 }, never)
    await expect(batch.commit(ALL_ACKED)).rejects.toMatchObject({ kind: 'connection' })
    await end.close()
    expect(content()).toBe('a\nb\n')
  })

  it('removes what is left over at close when the file is too large to rewrite each time', async () => {
    const line = `${'x'.repeat(1023)}\n`
    writeFileSync(path, line.repeat(2000))
    let renames = 0
    const fileSystem = {
      ...nodeFileSystem,
      rename: (from: string, to: string) => {
        renames++
        return nodeFileSystem.rename(from, to)
      },
    }
    const { end } = await openInput({ path, format: 'raw', delete: true }, {}, { fileSystem })
    for (let count = 0; count < 700; count += 10)
      await (await end.receive({ messages: 10, bytes: 1 << 20 }, never)).commit(ALL_ACKED)
    expect(renames).toBe(0)
    await end.close()
    expect(renames).toBe(1)
    expect(content().length).toBe(1300 * 1024)
  })

  it('loses nothing that an output of this process appends meanwhile', async () => {
    writeFileSync(path, '')
    const output = await openOutput({ path, format: 'raw' })
    const input = await openInput({ path, format: 'raw', delete: true }, { drain: false })
    const found: string[] = []
    const reading = (async () => {
      while (found.length < 300) {
        const batch = await receiveSome(input.end, two)
        found.push(...texts(batch.messages))
        await batch.commit(ALL_ACKED)
      }
    })()
    for (let index = 0; index < 100; index++)
      await output.end.send(messagesOf([`${index}a`, `${index}b`, `${index}c`]), never)
    await reading
    await input.end.close()
    await output.end.close()
    expect(found).toEqual(
      Array.from({ length: 100 }, (_, index) => [`${index}a`, `${index}b`, `${index}c`]).flat(),
    )
    expect(content()).toBe('')
  })

  it('leaves a file alone that took the place of the one it read', async () => {
    writeFileSync(path, 'a\nb\n')
    const { end } = await openInput({ path, format: 'raw', delete: true })
    const batch = await end.receive(plenty, never)
    renameSync(path, `${path}.1`)
    writeFileSync(path, 'x\n')
    await batch.commit(ALL_ACKED)
    expect(content()).toBe('x\n')
    expect(texts(await readAll(end))).toEqual(['x'])
    await end.close()
    expect(content()).toBe('')
  })

  it('is for one input of the process', async () => {
    writeFileSync(path, 'a\n')
    const { end } = await openInput({ path, format: 'raw', delete: true })
    await expect(openInput({ path, format: 'raw', delete: true })).rejects.toMatchObject({
      code: 'MQB_FILE_SHARED_DELETE',
    })
    await end.close()
  })
})

describe('subscribe with delete', () => {
  it('removes a record when all subscribers have it', async () => {
    writeFileSync(path, 'a\nb\nc\n')
    const config = { path, format: 'raw', mode: 'subscribe', delete: true }
    const one = await openInput(config)
    const other = await openInput(config)
    await (await one.end.receive(two, never)).commit(ALL_ACKED)
    expect(content()).toBe('a\nb\nc\n')
    await (await other.end.receive({ messages: 1, bytes: 1 }, never)).commit(ALL_ACKED)
    expect(content()).toBe('b\nc\n')
    expect(texts(await readAll(one.end))).toEqual(['c'])
    expect(texts(await readAll(other.end))).toEqual(['b', 'c'])
    expect(content()).toBe('')
    await one.end.close()
    await other.end.close()
  })
})
