import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ALL_ACKED, ack, failure, MqbError } from '@mqb/core'
import { createFakeClock } from '@mqb/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../src/file-system.ts'
import { never, openInput, plenty, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
let path: string
beforeEach(() => {
  folder = scratch()
  path = folder.path('app.log')
})
afterEach(() => folder.remove())

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

const stored = () => JSON.parse(readFileSync(`${path}.g.offset`, 'utf8'))

async function run(more: Record<string, unknown> = {}, limit = plenty): Promise<string[]> {
  const { end } = await openInput({ path, format: 'raw', mode: 'group_subscribe', group_id: 'g', ...more })
  try {
    return texts(await readAll(end, limit))
  } finally {
    await end.close()
  }
}

describe('group_subscribe', () => {
  it('goes on where it stood, and says where that is', async () => {
    writeFileSync(path, lines(1, 3))
    expect(await run()).toHaveLength(3)
    expect(stored()).toEqual({
      offset: 21,
      inode: expect.any(Number),
      size: 21,
      fingerprint: expect.stringMatching(/^21:[0-9a-f]{32}$/),
    })
    appendFileSync(path, lines(4, 2))
    expect(await run()).toEqual(['line 4', 'line 5'])
  })

  it('stamps the offset of each message', async () => {
    writeFileSync(path, 'a\nbb\n')
    const { end } = await openInput({ path, format: 'raw', mode: 'group_subscribe', group_id: 'g' })
    expect((await readAll(end)).map(message => message.metadata)).toEqual([
      { file_offset: '0' },
      { file_offset: '2' },
    ])
    await end.close()
  })

  it('stores the position of the first message that is not settled', async () => {
    writeFileSync(path, lines(0, 5))
    const { end } = await openInput({ path, format: 'raw', mode: 'group_subscribe', group_id: 'g' })
    const batch = await end.receive(plenty, never)
    const later = failure(new MqbError({ kind: 'retryable', code: 'MQB_TEST', what: 'later' }))
    const dropped = failure(new MqbError({ kind: 'permanent', code: 'MQB_TEST', what: 'never' }))
    await batch.commit([ack(), dropped, later, ack(), ack()])
    await end.close()
    expect(stored().offset).toBe(14)
    expect(await run()).toEqual(['line 2', 'line 3', 'line 4'])
  })

  it('hands out again what was not committed', async () => {
    writeFileSync(path, lines(0, 4))
    const { end } = await openInput({ path, format: 'raw', mode: 'group_subscribe', group_id: 'g' })
    const first = await end.receive({ messages: 2, bytes: 1 << 20 }, never)
    await end.receive({ messages: 2, bytes: 1 << 20 }, never)
    await first.commit(ALL_ACKED)
    await end.close()
    expect(await run()).toEqual(['line 2', 'line 3'])
  })

  it('never stores a position past a batch that is still out, in whatever order commits come', async () => {
    writeFileSync(path, lines(0, 4))
    const { end } = await openInput({ path, format: 'raw', mode: 'group_subscribe', group_id: 'g' })
    await end.receive({ messages: 2, bytes: 1 << 20 }, never)
    const second = await end.receive({ messages: 2, bytes: 1 << 20 }, never)
    await second.commit(ALL_ACKED)
    await end.close()
    expect(await run()).toHaveLength(4)
  })

  it('finishes the rotated file before the live one after a rotation while it was down', async () => {
    writeFileSync(path, lines(1, 100))
    expect(await run()).toHaveLength(100)
    appendFileSync(path, lines(101, 50))
    renameSync(path, `${path}.1`)
    writeFileSync(path, lines(151, 30))
    expect(await run()).toEqual(lines(101, 80).trimEnd().split('\n'))
    expect(await run()).toEqual([])
  })

  it('takes a file for a new one that has the inode of the old and begins differently', async () => {
    writeFileSync(path, lines(1, 3))
    expect(await run()).toHaveLength(3)
    // Written in place: the same inode, longer than the position.
    writeFileSync(path, `other ${lines(4, 5)}`)
    expect(await run()).toHaveLength(5)
  })

  it('takes a shorter file for a new one', async () => {
    writeFileSync(path, lines(1, 30))
    await run()
    rmSync(path)
    writeFileSync(path, lines(1, 5))
    expect(await run()).toHaveLength(5)
  })

  it('reads a bare integer as a position', async () => {
    writeFileSync(path, lines(1, 3))
    writeFileSync(`${path}.g.offset`, '14\n')
    expect(await run()).toEqual(['line 3'])
  })

  for (const [name, content] of [
    ['garbage', 'garbage'],
    ['half of a position', '{"offset": 7, "ino'],
    ['nothing', ''],
    ['a negative number', '{"offset": -1}'],
  ] as const)
    it(`ends with the reason when the offset file holds ${name}, unless position_lost says otherwise`, async () => {
      writeFileSync(path, lines(1, 3))
      const offsetFile = `${path}.g.offset`
      writeFileSync(offsetFile, content)
      await expect(run()).rejects.toMatchObject({ kind: 'permanent', code: 'MQB_FILE_POSITION' })
      expect(readFileSync(offsetFile, 'utf8')).toBe(content)
      for (const [policy, count] of [
        ['earliest', 3],
        ['nearest', 3],
        ['latest', 0],
      ] as const) {
        writeFileSync(offsetFile, content)
        expect(await run({ position_lost: policy })).toHaveLength(count)
      }
    })

  it('starts at the end with read_from_tail, once', async () => {
    writeFileSync(path, lines(1, 3))
    expect(await run({ read_from_tail: true })).toEqual([])
    appendFileSync(path, lines(4, 1))
    expect(await run({ read_from_tail: true })).toEqual(['line 4'])
  })

  it('keeps groups apart', async () => {
    writeFileSync(path, lines(1, 3))
    expect(await run()).toHaveLength(3)
    expect(await run({ group_id: 'other' })).toHaveLength(3)
  })

  it('reads the header of a CSV file again when it goes on in the middle', async () => {
    writeFileSync(path, 'a,b\n1,2\n3,4\n')
    const csv = { format: 'csv' }
    const { end } = await openInput({ path, mode: 'group_subscribe', group_id: 'g', ...csv })
    const batch = await end.receive({ messages: 1, bytes: 1 << 20 }, never)
    await batch.commit(ALL_ACKED)
    await end.close()
    expect(await run(csv)).toEqual(['{"a":"3","b":"4"}'])
  })

  it('writes the position at most twenty times a second, and at close', async () => {
    writeFileSync(path, lines(0, 1000))
    const clock = createFakeClock()
    let writes = 0
    const fileSystem = {
      ...nodeFileSystem,
      rename: (from: string, to: string) => {
        if (to.endsWith('.offset')) writes++
        return nodeFileSystem.rename(from, to)
      },
    }
    const { end } = await openInput(
      { path, format: 'raw', mode: 'group_subscribe', group_id: 'g' },
      { clock },
      { fileSystem },
    )
    await readAll(end, { messages: 1, bytes: 1 << 20 })
    expect(writes).toBeLessThanOrEqual(2)
    await end.close()
    expect(stored().offset).toBe(readFileSync(path).length)
    expect(existsSync(`${path}.g.offset.mqb.tmp`)).toBe(false)
  })

  it('shows that it cannot write the position, and reads on', async () => {
    writeFileSync(path, lines(0, 3))
    const fileSystem = {
      ...nodeFileSystem,
      rename: (from: string, to: string) =>
        to.endsWith('.offset')
          ? Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
          : nodeFileSystem.rename(from, to),
    }
    const { end, opening } = await openInput(
      { path, format: 'raw', mode: 'group_subscribe', group_id: 'g' },
      {},
      { fileSystem },
    )
    expect(await readAll(end)).toHaveLength(3)
    await end.close()
    expect(end.status()).toMatchObject({ healthy: false, error: expect.stringContaining('no space') })
    expect(opening.log.find('error')).toHaveLength(1)
  })
})
