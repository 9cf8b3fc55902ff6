import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { ALL_ACKED, ack, type Consumer, failure, MqbError } from '@mqb/core'
import { createFakeClock } from '@mqb/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never, openInput, plenty, readAll, receiveSome, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

/** Takes messages until there are that many. */
async function collect(consumer: Consumer, count: number): Promise<string[]> {
  const found: string[] = []
  while (found.length < count) {
    const batch = await receiveSome(consumer)
    found.push(...texts(batch.messages))
    await batch.commit(ALL_ACKED)
  }
  return found
}

const nackAt = (index: number, count: number) =>
  Array.from({ length: count }, (_, at) =>
    at === index ? failure(new MqbError({ kind: 'retryable', code: 'MQB_TEST', what: 'not now' })) : ack(),
  )

describe('consume', () => {
  it('reads from the first byte, answers empty once at the end, then waits for more', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'a\nb\n')
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 2)).toEqual(['a', 'b'])
    expect((await end.receive(plenty, never)).messages).toEqual([])
    const next = receiveSome(end)
    appendFileSync(path, 'c\n')
    expect(texts((await next).messages)).toEqual(['c'])
    expect((await end.receive(plenty, never)).messages).toEqual([])
    await end.close()
  })

  it('hands out no half record while another process appends byte by byte', async () => {
    const path = folder.path('in')
    writeFileSync(path, '')
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    const text = lines(1, 20)
    const reading = collect(end, 20)
    for (const byte of text) {
      appendFileSync(path, byte)
      await new Promise(setImmediate)
    }
    expect(`${(await reading).join('\n')}\n`).toBe(text)
    await end.close()
  })

  it('withholds a last line without delimiter until it is whole; a drain takes it as it is', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'a\nhalf')
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 1)).toEqual(['a'])
    const rest = receiveSome(end)
    appendFileSync(path, ' whole\n')
    expect(texts((await rest).messages)).toEqual(['half whole'])
    await end.close()
    writeFileSync(path, 'a\nhalf')
    const drained = await openInput({ path, format: 'raw' })
    expect(texts(await readAll(drained.end))).toEqual(['a', 'half'])
    await drained.end.close()
  })

  it('goes on with the file that takes the place of the one it read, after the last of the old one', async () => {
    const path = folder.path('app.log')
    writeFileSync(path, lines(1, 3))
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 3)).toHaveLength(3)
    renameSync(path, `${path}.1`)
    appendFileSync(`${path}.1`, lines(4, 2))
    writeFileSync(path, lines(6, 2))
    expect(await collect(end, 4)).toEqual(['line 4', 'line 5', 'line 6', 'line 7'])
    await end.close()
  })

  it('reads the rotated files in between when it missed more than one rotation', async () => {
    const path = folder.path('app.log')
    writeFileSync(path, lines(1, 1))
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 1)).toEqual(['line 1'])
    renameSync(path, `${path}.2`)
    await new Promise(resolve => setTimeout(resolve, 5))
    writeFileSync(`${path}.1`, lines(2, 1))
    writeFileSync(path, lines(3, 1))
    expect(await collect(end, 2)).toEqual(['line 2', 'line 3'])
    await end.close()
  })

  it('starts over when the file is cut and written anew', async () => {
    const path = folder.path('app.log')
    writeFileSync(path, lines(1, 5))
    const { end, opening } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 5)).toHaveLength(5)
    truncateSync(path, 0)
    appendFileSync(path, 'new\n')
    expect(await collect(end, 1)).toEqual(['new'])
    expect(opening.log.find('warn', 'shorter')).toHaveLength(1)
    await end.close()
  })

  it('goes on after the file was deleted and made again', async () => {
    const path = folder.path('app.log')
    writeFileSync(path, 'a\n')
    const { end } = await openInput({ path, format: 'raw' }, { drain: false })
    expect(await collect(end, 1)).toEqual(['a'])
    rmSync(path)
    writeFileSync(path, 'b\n')
    expect(await collect(end, 1)).toEqual(['b'])
    await end.close()
  })

  it('waits for a file that does not exist; a drain ends with the reason', async () => {
    const path = folder.path('later')
    const clock = createFakeClock()
    const { end } = await openInput({ path, format: 'raw' }, { drain: false, clock })
    expect(end.status()).toMatchObject({ healthy: false, error: expect.stringContaining('does not exist') })
    const next = end.receive(plenty, never)
    writeFileSync(path, 'a\n')
    await clock.advance(1000)
    expect(texts((await next).messages)).toEqual(['a'])
    await end.close()
    const drained = await openInput({ path: folder.path('never'), format: 'raw' })
    await expect(drained.end.receive(plenty, never)).rejects.toMatchObject({
      kind: 'permanent',
      code: 'MQB_FILE_MISSING',
    })
    await drained.end.close()
  })

  it('refuses a directory at the start', async () => {
    await expect(openInput({ path: folder.path('.'), format: 'raw' })).rejects.toMatchObject({
      code: 'MQB_FILE_NOT_A_FILE',
    })
  })

  it('hands a nacked message out again with all behind it, in order, and counts late commits as returned', async () => {
    const path = folder.path('in')
    writeFileSync(path, lines(0, 6))
    const { end } = await openInput({ path, format: 'raw' })
    const first = await end.receive({ messages: 3, bytes: 1 << 20 }, never)
    const second = await end.receive({ messages: 3, bytes: 1 << 20 }, never)
    await first.commit(nackAt(1, 3))
    await second.commit(ALL_ACKED)
    expect(texts(await readAll(end))).toEqual(['line 1', 'line 2', 'line 3', 'line 4', 'line 5'])
    await end.close()
  })

  it('keeps ids of redelivered messages', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'a\n')
    const { end } = await openInput({ path, format: 'raw' })
    const batch = await end.receive(plenty, never)
    const id = batch.messages[0]?.id
    await batch.commit(nackAt(0, 1))
    expect((await readAll(end))[0]?.id).toBe(id)
    await end.close()
  })

  it('stops filling after the message that crosses the byte limit', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'aaaa\nbbbb\ncccc\n')
    const { end } = await openInput({ path, format: 'raw' })
    expect(texts((await end.receive({ messages: 10, bytes: 5 }, never)).messages)).toEqual(['aaaa', 'bbbb'])
    expect(texts((await end.receive({ messages: 10, bytes: 1 }, never)).messages)).toEqual(['cccc'])
    await end.close()
  })

  it('stamps where a message was read when that is wanted', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'a\nb\n')
    const { end } = await openInput({ path, format: 'raw', source_metadata: true })
    const messages = await readAll(end)
    await end.close()
    expect(messages.map(message => message.metadata)).toEqual([
      { 'mqb.src.file_path': path, 'mqb.src.file_record': '0' },
      { 'mqb.src.file_path': path, 'mqb.src.file_record': '1' },
    ])
    const asked = await openInput(
      { path, format: 'raw', mode: 'subscribe' },
      { sourceMetadata: true, drain: false },
    )
    appendFileSync(path, 'c\n')
    const batch = await receiveSome(asked.end)
    expect(Object.keys(batch.messages[0]?.metadata ?? {})).toContain('mqb.src.file_epoch')
    await asked.end.close()
  })
})

describe('subscribe', () => {
  it('reads what is appended after the start, and a line that was not finished then', async () => {
    const path = folder.path('in')
    writeFileSync(path, 'old\nhalf')
    const { end } = await openInput({ path, format: 'raw', mode: 'subscribe' }, { drain: false })
    appendFileSync(path, ' new\nnewer\n')
    expect(await collect(end, 2)).toEqual(['half new', 'newer'])
    await end.close()
  })

  it('takes the columns of a CSV file from its header', async () => {
    const path = folder.path('in.csv')
    writeFileSync(path, 'a,b\n1,2\n')
    const { end } = await openInput({ path, format: 'csv', mode: 'subscribe' }, { drain: false })
    appendFileSync(path, '3,4\n')
    expect(await collect(end, 1)).toEqual(['{"a":"3","b":"4"}'])
    await end.close()
  })
})

describe('long records', () => {
  const content = `ok1\n${'x'.repeat(3_000_000)}\nok2\n${'y'.repeat(200)}\nok3\n`

  it('reads a line of any length below the limit', async () => {
    const path = folder.path('in')
    writeFileSync(path, content)
    const { end } = await openInput({ path, format: 'raw' })
    expect((await readAll(end)).map(message => message.byteLength)).toEqual([3, 3_000_000, 3, 200, 3])
    await end.close()
  })

  it('skips one over the limit as a whole and names its bytes', async () => {
    const path = folder.path('in')
    writeFileSync(path, content)
    const { end, opening } = await openInput({
      path,
      format: 'raw',
      max_record_bytes: 1_000_000,
      on_long_record: 'skip',
    })
    expect((await readAll(end)).map(message => message.byteLength)).toEqual([3, 3, 200, 3])
    expect(opening.log.find('warn', 'bytes 4 to 3000004')).toHaveLength(1)
    expect(opening.counted.file_records_skipped).toBe(1)
    await end.close()
  })

  it('ends the route at one by default, after what came before it', async () => {
    const path = folder.path('in')
    writeFileSync(path, content)
    const { end } = await openInput({ path, format: 'raw', max_record_bytes: 1000 })
    expect(texts((await end.receive(plenty, never)).messages)).toEqual(['ok1'])
    await expect(end.receive(plenty, never)).rejects.toMatchObject({
      code: 'MQB_FILE_LONG_RECORD',
      kind: 'permanent',
    })
    await end.close()
  })
})

describe('refused files', () => {
  for (const [name, bytes, code] of [
    ['gzip', [0x1f, 0x8b, 8, 0], 'MQB_FILE_COMPRESSED'],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd], 'MQB_FILE_COMPRESSED'],
    ['lz4', [4, 0x22, 0x4d, 0x18], 'MQB_FILE_COMPRESSED'],
    ['sealed frames', [0, 0, 0, 0, 0, 0, 0, 60, 1, 0, 7, ...Buffer.from('default')], 'MQB_FILE_SEALED'],
  ] as const)
    it(`${name}, on an input in every mode, and on an output`, async () => {
      const path = folder.path('in')
      const content = Buffer.concat([Buffer.from(bytes), Buffer.from('\nmore\n'.repeat(10))])
      writeFileSync(path, content)
      const { end } = await openInput({ path, format: 'raw' })
      await expect(end.receive(plenty, never)).rejects.toMatchObject({ kind: 'permanent', code })
      await end.close()
      await expect(openInput({ path, format: 'raw', mode: 'subscribe' })).rejects.toMatchObject({ code })
      const { openOutput } = await import('./support/harness.ts')
      await expect(openOutput({ path, format: 'raw' })).rejects.toMatchObject({ kind: 'permanent', code })
      expect(readFileSync(path)).toEqual(content)
      expect(existsSync(`${path}.mqb.tmp`)).toBe(false)
    })
})
