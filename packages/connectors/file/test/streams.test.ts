import { spawnSync } from 'node:child_process'
import { PassThrough, Readable, Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { ALL_ACKED, EndOfStream, failure, MqbError } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { messagesOf, never, openInput, openOutput, plenty, readAll, texts } from './support/harness.ts'

const raw = { path: '-', format: 'raw' }

describe('standard input', () => {
  it('is one record a line and ends with its writer', async () => {
    const stdin = new PassThrough()
    const { end } = await openInput(raw, { drain: false }, { stdin })
    stdin.write('a\nb\nha')
    expect(texts((await end.receive(plenty, never)).messages)).toEqual(['a', 'b'])
    const next = end.receive(plenty, never)
    stdin.write('lf\n')
    expect(texts((await next).messages)).toEqual(['half'])
    stdin.end('last')
    expect(texts((await end.receive(plenty, never)).messages)).toEqual(['last'])
    await expect(end.receive(plenty, never)).rejects.toSatisfy(EndOfStream.is)
    await end.close()
  })

  it('reads CSV with the same dialect fields', async () => {
    const { end } = await openInput(
      { path: '-', format: 'csv', csv: { separator: ';' } },
      {},
      { stdin: Readable.from(['a;b\n1;2']) },
    )
    expect(texts(await readAll(end))).toEqual(['{"a":"1","b":"2"}'])
    await end.close()
  })

  it('loses nothing to a receive that is cancelled while it waits', async () => {
    const stdin = new PassThrough()
    const { end } = await openInput(raw, {}, { stdin })
    const cancel = new AbortController()
    const waiting = end.receive(plenty, cancel.signal)
    cancel.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    stdin.write('a\n')
    expect(texts((await end.receive(plenty, never)).messages)).toEqual(['a'])
    await end.close()
  })

  it('hands nacked messages out again from memory, also after the end', async () => {
    const { end } = await openInput(raw, {}, { stdin: Readable.from(['a\nb\n']) })
    const batch = await end.receive(plenty, never)
    const later = failure(new MqbError({ kind: 'retryable', code: 'MQB_TEST', what: 'later' }))
    await batch.commit(batch.messages.map(() => later))
    expect(texts(await readAll(end))).toEqual(['a', 'b'])
    await end.close()
  })

  it('closes while a receive waits', async () => {
    const { end } = await openInput(raw, {}, { stdin: new PassThrough() })
    const waiting = end.receive(plenty, never)
    await end.close()
    await expect(waiting).rejects.toMatchObject({ kind: 'connection', code: 'MQB_CLOSED' })
  })

  it('refuses compressed data', async () => {
    const { end } = await openInput(raw, {}, { stdin: Readable.from([gzipSync('a\n')]) })
    await expect(end.receive(plenty, never)).rejects.toMatchObject({ code: 'MQB_FILE_COMPRESSED' })
    await end.close()
  })

  it('tells the error of its stream', async () => {
    const stdin = new PassThrough()
    const { end } = await openInput(raw, {}, { stdin })
    const waiting = end.receive(plenty, never)
    stdin.destroy(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))
    await expect(waiting).rejects.toMatchObject({ code: 'MQB_FILE_IO' })
    await end.close()
  })
})

describe('standard output', () => {
  it('gets the records in order, CSV with one header', async () => {
    const stdout = new PassThrough()
    const { end } = await openOutput({ path: '-', format: 'csv' }, {}, { stdout })
    const sends = [1, 2, 3].map(value => end.send(messagesOf([`{"a":${value}}`]), never))
    expect(await Promise.all(sends)).toEqual([ALL_ACKED, ALL_ACKED, ALL_ACKED])
    await end.close()
    expect(stdout.read().toString()).toBe('a\n1\n2\n3\n')
    expect(stdout.writableEnded).toBe(false)
  })

  it('fails with a code of its own once nobody reads any more, and settles nothing', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const { end } = await openOutput(raw, {}, { stdout })
    const closed = { kind: 'failure', error: { kind: 'connection', code: 'MQB_STDOUT_CLOSED' } }
    expect(await end.send(messagesOf(['a', 'b']), never)).toMatchObject([closed, closed])
    expect(await end.send(messagesOf(['c']), never)).toMatchObject([closed])
    await end.close()
  })

  it.skipIf(process.platform === 'win32')('sees a pipe of the system break', () => {
    const script = `
      const stream = process.stdout
      stream.on('error', () => undefined)
      const write = () => new Promise(resolve => stream.write('x'.repeat(100000) + '\\n', error => resolve(error?.code)))
      for (;;) { const code = await write(); if (code) { process.stderr.write(code); process.exit(0) } }`
    const { stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" --input-type=module -e "$SCRIPT" | head -c 10 > /dev/null`],
      {
        env: { ...process.env, SCRIPT: script },
      },
    )
    expect(['EPIPE', 'ERR_STREAM_DESTROYED']).toContain(stderr.toString())
  })
})
