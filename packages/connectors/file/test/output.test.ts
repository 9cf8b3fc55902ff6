import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { ALL_ACKED, Message } from '@mqb/core'
import { createFakeClock } from '@mqb/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FileSystem, nodeFileSystem } from '../src/file-system.ts'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
let path: string
beforeEach(() => {
  folder = scratch()
  path = folder.path('out')
})
afterEach(() => folder.remove())

const content = (of = path) => readFileSync(of, 'utf8')
const raw = { format: 'raw' }

/** A disk that takes `room` bytes, then says that it is full; freed by `room.left = …`. */
function smallDisk(left: number): { readonly fileSystem: FileSystem; readonly room: { left: number } } {
  const room = { left }
  return {
    room,
    fileSystem: {
      ...nodeFileSystem,
      write: async (descriptor, parts, position) => {
        if (room.left === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        const bytes = Buffer.concat(parts).subarray(0, room.left)
        room.left -= bytes.length
        return nodeFileSystem.write(descriptor, [bytes], position)
      },
    },
  }
}

describe('appending', () => {
  it('creates the directories above the file and the file itself', async () => {
    const deep = folder.path('a/b/c.jsonl')
    const { end } = await openOutput({ path: deep, ...raw })
    expect(await end.send(messagesOf(['x']), never)).toBe(ALL_ACKED)
    await end.close()
    expect(content(deep)).toBe('x\n')
  })

  it('goes on where a write was short', async () => {
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      write: (descriptor, parts, position) =>
        nodeFileSystem.write(descriptor, [Buffer.concat(parts).subarray(0, 3)], position),
    }
    const { end } = await openOutput({ path, ...raw }, {}, { fileSystem })
    const payloads = Array.from({ length: 50 }, (_, index) => `message ${index}`)
    expect(await end.send(messagesOf(payloads), never)).toBe(ALL_ACKED)
    await end.close()
    expect(content()).toBe(`${payloads.join('\n')}\n`)
  })

  it('takes back what a full disk cut off, fails that batch and all behind it as retryable, and works again later', async () => {
    const { fileSystem, room } = smallDisk(30)
    const { end } = await openOutput({ path, ...raw }, {}, { fileSystem })
    const answers = await Promise.all(
      ['one', 'two', 'three'].map(name => end.send(messagesOf([`${name} 1`, `${name} 2`]), never)),
    )
    // The first one leaves alone; the two behind it leave together, and only the second of them is cut off.
    expect(answers[0]).toBe(ALL_ACKED)
    expect(answers[1]).toBe(ALL_ACKED)
    expect(answers[2]).toMatchObject([
      { kind: 'failure', error: { kind: 'retryable', code: 'MQB_FILE_IO' } },
      { kind: 'failure', error: { kind: 'retryable' } },
    ])
    expect(content()).toBe('one 1\none 2\ntwo 1\ntwo 2\n')
    expect(end.status()).toMatchObject({ healthy: false })
    room.left = 1000
    expect(await end.send(messagesOf(['three 1', 'three 2']), never)).toBe(ALL_ACKED)
    expect(end.status()).toMatchObject({ healthy: true })
    await end.close()
    expect(content()).toBe('one 1\none 2\ntwo 1\ntwo 2\nthree 1\nthree 2\n')
  })

  it('writes nothing that is queued behind a failed batch', async () => {
    const { fileSystem, room } = smallDisk(4)
    const { end } = await openOutput({ path, ...raw }, {}, { fileSystem })
    const first = end.send(messagesOf(['long one']), never)
    const second = end.send(messagesOf(['x']), never)
    await first
    room.left = 100
    expect(await second).toMatchObject([{ error: { kind: 'retryable', code: 'MQB_NOT_SENT' } }])
    await end.close()
    expect(content()).toBe('')
  })

  it.skipIf(!existsSync('/dev/full'))('tells a full device of the system as retryable', async () => {
    const { end } = await openOutput({ path: '/dev/full', ...raw })
    expect(await end.send(messagesOf(['x']), never)).toMatchObject([
      { error: { kind: 'retryable', code: 'MQB_FILE_IO' } },
    ])
    await end.close()
  })

  it('repairs the tail before the next write when a failed one could not be taken back', async () => {
    const { fileSystem, room } = smallDisk(10)
    let isStuck = true
    const stuck: FileSystem = {
      ...fileSystem,
      truncate: (descriptor, size) =>
        isStuck ? Promise.reject(new Error('stuck')) : nodeFileSystem.truncate(descriptor, size),
    }
    writeFileSync(path, '{"a":1}\n')
    const { end, opening } = await openOutput({ path, ...raw }, {}, { fileSystem: stuck })
    expect(await end.send(messagesOf(['{"b":22222222}']), never)).toMatchObject([
      { error: { kind: 'retryable' } },
    ])
    expect(opening.log.find('error', 'part of a record')).toHaveLength(1)
    expect(content()).toBe('{"a":1}\n{"b":22222')
    isStuck = false
    room.left = 1000
    expect(await end.send(messagesOf(['{"b":22222222}']), never)).toBe(ALL_ACKED)
    await end.close()
    expect(content()).toBe('{"a":1}\n{"b":22222222}\n')
    const torn = readdirSync(folder.path('.')).filter(name => name.includes('.torn-'))
    expect(torn.map(name => content(folder.path(name)))).toEqual(['{"b":22222'])
  })

  it('begins a new file when its path was moved away, and loses no record', async () => {
    const { end } = await openOutput({ path, ...raw })
    for (let round = 0; round < 5; round++) {
      await end.send(messagesOf([`${round}a`, `${round}b`]), never)
      renameSync(path, `${path}.${round}`)
    }
    await end.close()
    expect(Array.from({ length: 5 }, (_, round) => content(`${path}.${round}`)).join('')).toBe(
      '0a\n0b\n1a\n1b\n2a\n2b\n3a\n3b\n4a\n4b\n',
    )
  })

  it('lets two routes write whole records to one path, however it is spelled', async () => {
    mkdirSync(folder.path('sub'))
    const one = await openOutput({ path, ...raw })
    const other = await openOutput({ path: folder.path('sub/../out'), format: 'normal' })
    const sends = Array.from({ length: 100 }, (_, index) => [
      one.end.send(messagesOf([`{"raw":${index},"pad":"${'x'.repeat(5000)}"}`]), never),
      other.end.send(messagesOf([`{"other":${index}}`, 'y'.repeat(5000)]), never),
    ]).flat()
    expect((await Promise.all(sends)).every(answer => answer === ALL_ACKED)).toBe(true)
    await one.end.close()
    await other.end.close()
    const records = content()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(records).toHaveLength(300)
    expect(records.filter(record => 'raw' in record).map(record => record.raw)).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    )
  })

  it('keeps the order of overlapping sends', async () => {
    const { end } = await openOutput({ path, ...raw })
    const sends = Array.from({ length: 200 }, (_, index) =>
      end.send(messagesOf([`${index}a`, `${index}b`]), never),
    )
    await Promise.all(sends)
    await end.close()
    expect(content()).toBe(Array.from({ length: 200 }, (_, index) => `${index}a\n${index}b\n`).join(''))
  })

  it('leaves out a queued batch whose deadline has passed', async () => {
    const { end } = await openOutput({ path, ...raw })
    const first = end.send(messagesOf(['a']), never)
    const late = end.send(messagesOf(['b']), AbortSignal.abort())
    await Promise.all([first, late])
    await end.close()
    expect(content()).toBe('a\n')
  })

  it('is refused at the start where the file cannot be opened', async () => {
    mkdirSync(path)
    await expect(openOutput({ path, ...raw })).rejects.toMatchObject({
      kind: 'permanent',
      code: 'MQB_FILE_NOT_A_FILE',
    })
  })

  it('loses no message when the right to write is taken away while it runs', async () => {
    let isDenied = false
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open: (file, flags, mode) =>
        isDenied
          ? Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
          : nodeFileSystem.open(file, flags, mode),
    }
    const { end } = await openOutput({ path, ...raw }, {}, { fileSystem })
    renameSync(path, `${path}.1`)
    isDenied = true
    expect(await end.send(messagesOf(['a']), never)).toMatchObject([
      { error: { kind: 'retryable', code: 'MQB_FILE_DENIED' } },
    ])
    isDenied = false
    expect(await end.send(messagesOf(['a']), never)).toBe(ALL_ACKED)
    await end.close()
    expect(content()).toBe('a\n')
  })
})

describe('fsync', () => {
  function counting(): { readonly fileSystem: FileSystem; readonly syncs: () => number; fail: boolean } {
    let syncs = 0
    const state = {
      fail: false,
      syncs: () => syncs,
      fileSystem: {
        ...nodeFileSystem,
        sync: async (descriptor: number) => {
          syncs++
          if (state.fail) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
          return nodeFileSystem.sync(descriptor)
        },
      },
    }
    return state
  }

  it('off: never', async () => {
    const { fileSystem, syncs } = counting()
    const { end } = await openOutput({ path, ...raw }, {}, { fileSystem })
    await end.send(messagesOf(['a']), never)
    await end.close()
    expect(syncs()).toBe(0)
  })

  it('batch: before each answer; what could not be forced to the disk is taken back', async () => {
    const state = counting()
    const { end } = await openOutput({ path, ...raw, fsync: 'batch' }, {}, { fileSystem: state.fileSystem })
    await end.send(messagesOf(['a']), never)
    expect(state.syncs()).toBe(1)
    state.fail = true
    expect(await end.send(messagesOf(['b']), never)).toMatchObject([
      { error: { kind: 'retryable', code: 'MQB_FILE_IO' } },
    ])
    await end.close()
    expect(content()).toBe('a\n')
  })

  it('periodic: after the interval, at flush and at close', async () => {
    const { fileSystem, syncs } = counting()
    const clock = createFakeClock()
    const { end } = await openOutput(
      { path, ...raw, fsync: 'periodic', fsync_interval_ms: 200 },
      { clock },
      { fileSystem },
    )
    await end.send(messagesOf(['a']), never)
    expect(syncs()).toBe(0)
    await clock.advance(200)
    await end.send(messagesOf(['b']), never)
    await end.flush()
    expect(syncs()).toBe(2)
    await end.send(messagesOf(['c']), never)
    await end.close()
    expect(syncs()).toBe(3)
  })
})

describe('a file that does not end in a whole record', () => {
  const seen = new Set<string>()
  async function append(
    before: string | Buffer,
    config: Record<string, unknown>,
    payload = '{"new":1}',
  ): Promise<string[]> {
    writeFileSync(path, before)
    const { end, opening } = await openOutput({ path, ...config })
    await end.send(messagesOf([payload]), never)
    await end.close()
    const torn = readdirSync(folder.path('.')).filter(name => name.startsWith('out.torn-') && !seen.has(name))
    for (const name of torn) seen.add(name)
    expect(opening.log.find('warn')).toHaveLength(torn.length)
    return [content(), ...torn.map(name => content(folder.path(name)))]
  }

  it('raw after JSON: a whole tail gets a delimiter, half of one is moved aside', async () => {
    expect(await append('{"a":1}\n{"b":2}', raw)).toEqual(['{"a":1}\n{"b":2}\n{"new":1}\n'])
    expect(await append('{"a":1}\n{"b":', raw)).toEqual(['{"a":1}\n{"new":1}\n', '{"b":'])
  })

  it('raw after anything else: gets a delimiter', async () => {
    expect(await append('some text\nmore te', raw)).toEqual(['some text\nmore te\n{"new":1}\n'])
  })

  it('the only record of a raw file: judged by how it begins', async () => {
    expect(await append('{"a":', raw)).toEqual(['{"new":1}\n', '{"a":'])
    expect(await append('text', raw)).toEqual(['text\n{"new":1}\n'])
  })

  it('whole messages: only a JSON object is whole', async () => {
    const [text, torn] = await append('{"message_id":"x","metadata":{},"payl', {})
    expect(torn).toBe('{"message_id":"x","metadata":{},"payl')
    expect(text?.split('\n')).toHaveLength(2)
  })

  it('csv: a row with all its fields is whole, one that is short or inside a quote is not', async () => {
    const csv = { format: 'csv' }
    expect(await append('a,b\n1,2', csv, '{"a":3,"b":4}')).toEqual(['a,b\n1,2\n3,4\n'])
    expect(await append('a,b\n1,2\n3', csv, '{"a":3,"b":4}')).toEqual(['a,b\n1,2\n3,4\n', '3'])
  })

  it('csv: a line break inside a quote is no end of a record', async () => {
    expect(await append('a,b\n1,2\n"x\n', { format: 'csv' }, '{"a":3,"b":4}')).toEqual([
      'a,b\n1,2\n3,4\n',
      '"x\n',
    ])
  })

  it('is left alone when it does', async () => {
    expect(await append('{"a":1}\n', raw)).toEqual(['{"a":1}\n{"new":1}\n'])
  })

  it('reads back whole after every cut of its tail', async () => {
    const before = Array.from({ length: 3 }, (_, index) => `{"n":${index},"text":"äöü"}`)
    const whole = Buffer.from(`${before.join('\n')}\n`)
    const lastStart = whole.lastIndexOf(10, whole.length - 2) + 1
    for (let cut = lastStart; cut <= whole.length; cut++) {
      const name = folder.path(`cut-${cut}`)
      writeFileSync(name, whole.subarray(0, cut))
      const { end } = await openOutput({ path: name, ...raw })
      await end.send(messagesOf(['{"n":9}']), never)
      await end.close()
      const input = await openInput({ path: name, ...raw })
      const read = texts(await readAll(input.end))
      await input.end.close()
      expect(read.slice(0, 2)).toEqual(before.slice(0, 2))
      expect(read.at(-1)).toBe('{"n":9}')
      for (const line of read) JSON.parse(line)
    }
  })
})

describe('a path with tokens', () => {
  const token = '${metadata:t}'
  const to = (tenant: string, payload = tenant) => new Message(payload, { t: tenant })

  it('sends each message to the file that it names', async () => {
    const { end } = await openOutput({ path: folder.path(`by/${token}/x.jsonl`), ...raw })
    expect(await end.send([to('a', '1'), to('b', '2'), to('a', '3')], never)).toBe(ALL_ACKED)
    await end.close()
    expect(content(folder.path('by/a/x.jsonl'))).toBe('1\n3\n')
    expect(content(folder.path('by/b/x.jsonl'))).toBe('2\n')
  })

  it('fails a message without the value, and one that leads out of the directory', async () => {
    const { end } = await openOutput({ path: folder.path(`by/${token}`), ...raw })
    const outcomes = await end.send(
      [to('ok'), new Message('x'), to('../../evil'), to('..'), to(''), to('a\0b')],
      never,
    )
    await end.close()
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      ...new Array(5).fill({ error: { kind: 'permanent', code: 'MQB_FILE_PATH' } }),
    ])
    expect(readdirSync(folder.path('.'))).toEqual(['by'])
  })

  it('keeps at most 64 files open and the order within each', async () => {
    let open = 0
    let most = 0
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open: async (file, flags, mode) => {
        const descriptor = await nodeFileSystem.open(file, flags, mode)
        most = Math.max(most, ++open)
        return descriptor
      },
      close: descriptor => {
        open--
        return nodeFileSystem.close(descriptor)
      },
    }
    const { end } = await openOutput({ path: folder.path(`by/${token}`), ...raw }, {}, { fileSystem })
    const batches = Array.from({ length: 4 }, (_, round) =>
      Array.from({ length: 100 }, (_, index) => to(`t${index}`, `${round}`)),
    )
    await Promise.all(batches.map(batch => end.send(batch, never)))
    await end.close()
    expect(most).toBeLessThanOrEqual(64)
    expect(open).toBe(0)
    for (let index = 0; index < 100; index++)
      expect(content(folder.path(`by/t${index}`))).toBe('0\n1\n2\n3\n')
  })

  it('writes a header into each CSV file', async () => {
    const { end } = await openOutput({ path: folder.path(`by/${token}.csv`), format: 'csv' })
    await end.send([to('a', '{"x":1}'), to('b', '{"y":2}')], never)
    await end.close()
    expect(content(folder.path('by/a.csv'))).toBe('x\n1\n')
    expect(content(folder.path('by/b.csv'))).toBe('y\n2\n')
    expect(statSync(folder.path('by')).isDirectory()).toBe(true)
  })
})
