import { readFileSync, writeFileSync } from 'node:fs'
import { ALL_ACKED, Message } from '@mqb/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

async function read(
  content: string | Buffer,
  csv: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) {
  const path = folder.path('in.csv')
  writeFileSync(path, content)
  const { end, opening } = await openInput({ path, format: 'csv', csv, ...more })
  try {
    return { rows: texts(await readAll(end)), warnings: opening.log.find('warn').map(line => line.text) }
  } finally {
    await end.close()
  }
}

async function write(
  rows: readonly string[],
  csv: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) {
  const path = folder.path('out.csv')
  const { end, opening } = await openOutput({ path, format: 'csv', csv, ...more })
  try {
    const outcomes = await end.send(messagesOf(rows), never)
    return {
      outcomes,
      text: readFileSync(path, 'utf8'),
      warnings: opening.log.find('warn').map(line => line.text),
    }
  } finally {
    await end.close()
  }
}

describe('reading csv', () => {
  it('makes a JSON object of strings of each row', async () => {
    const { rows } = await read('id,name\n1,Ann\n0123,"Smith, ""J"""\n')
    expect(rows).toEqual(['{"id":"1","name":"Ann"}', '{"id":"0123","name":"Smith, \\"J\\""}'])
  })

  for (const [title, header] of [
    ['', '\ufeffid,name'],
    [' before a quoted header', '\ufeff"id","name"'],
  ] as const)
    it(`takes a byte-order mark away${title}`, async () => {
      const { rows } = await read(`${header}\r\n"1","é"\r\n`)
      expect(Buffer.from(rows[0] ?? '')).toEqual(Buffer.from('{"id":"1","name":"é"}'))
    })

  it('keeps a mark in the middle of a file as data', async () => {
    expect((await read('a\n\ufeffx\n')).rows).toEqual(['{"a":"\ufeffx"}'])
  })

  it('lets a quoted field hold separators, line breaks and doubled quotes', async () => {
    const { rows } = await read('a,b\n"x,\r\ny ""z""",2\n')
    expect(rows.map(row => JSON.parse(row))).toEqual([{ a: 'x,\r\ny "z"', b: '2' }])
  })

  it('treats a quote inside a bare field as text', async () => {
    expect((await read('a,b\n5" pipe,x"y"\n')).rows).toEqual(['{"a":"5\\" pipe","b":"x\\"y\\""}'])
  })

  it('skips blank lines and accepts a missing last line end', async () => {
    expect((await read('a\n\n1\r\n\r\n2')).rows).toEqual(['{"a":"1"}', '{"a":"2"}'])
  })

  it('reads short rows with empty strings and drops what is over, with one warning each', async () => {
    const { rows, warnings } = await read('a,b,c\n1\n1,2,3,4\n2\n1,2,3,4,5\n')
    expect(rows).toEqual([
      '{"a":"1","b":"","c":""}',
      '{"a":"1","b":"2","c":"3"}',
      '{"a":"2","b":"","c":""}',
      '{"a":"1","b":"2","c":"3"}',
    ])
    expect(warnings).toHaveLength(2)
  })

  it('numbers repeated header names', async () => {
    expect((await read('a,a,b,a\n1,2,3,4\n')).rows).toEqual(['{"a":"1","a_2":"2","b":"3","a_3":"4"}'])
  })

  for (const [written, byte] of [
    ['tab', '\t'],
    ['\\t', '\t'],
    ['space', ' '],
    ['comma', ','],
    ['semicolon', ';'],
    ['pipe', '|'],
    ['0x1f', '\x1f'],
    [';', ';'],
  ] as const)
    it(`separator ${written}`, async () => {
      expect((await read(`a${byte}b\n1${byte}2\n`, { separator: written })).rows).toEqual([
        '{"a":"1","b":"2"}',
      ])
    })

  for (const [title, content] of [
    ['the most frequent one outside quotes', '"a,a,a";b;c\n1;2;3\n'],
    ['tab', 'a\tb\n1\t2\n'],
    ['pipe', 'a|b\n1|2\n'],
    ['the comma before the semicolon when both are equally frequent', 'a,b;c\n1,2\n'],
    ['the comma when there is none', 'a\n1\n'],
  ] as const)
    it(`auto finds ${title}`, async () => {
      const { rows } = await read(content, { separator: 'auto' })
      expect(Object.values(JSON.parse(rows[0] ?? ''))[0]).toBe('1')
    })

  it('quote none, and another quote', async () => {
    expect((await read(`a,b\n"1,x"\n`, { quote: 'none' })).rows).toEqual(['{"a":"\\"1","b":"x\\""}'])
    expect((await read(`a,b\n'1,x',2\n`, { quote: "'" })).rows).toEqual(['{"a":"1,x","b":"2"}'])
  })

  it('columns replace the names of the header, or stand for a header that is not there', async () => {
    expect((await read('x,y\n1,2\n', { columns: ['id', 'name'] })).rows).toEqual(['{"id":"1","name":"2"}'])
    expect((await read('1,2\n', { header: false, columns: ['id', 'name'] })).rows).toEqual([
      '{"id":"1","name":"2"}',
    ])
  })

  it('passes bytes that are not UTF-8 on as they are, with one warning that names the offset', async () => {
    const path = folder.path('latin.csv')
    writeFileSync(path, Buffer.from('a,b\ncaf\xe9,1\n\xff,2\nok,3\n', 'latin1'))
    const { end, opening } = await openInput({ path, format: 'csv' })
    const messages = await readAll(end)
    await end.close()
    expect(messages.map(message => message.payload.toString('latin1'))).toEqual([
      '{"a":"caf\xe9","b":"1"}',
      '{"a":"\xff","b":"2"}',
      '{"a":"ok","b":"3"}',
    ])
    expect(opening.log.find('warn')).toHaveLength(1)
    expect(opening.log.find('warn', 'byte 7 ')).toHaveLength(1)
  })

  it('refuses UTF-16 with a hint', async () => {
    await expect(read(Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'))).rejects.toMatchObject({
      code: 'MQB_FILE_ENCODING',
    })
  })

  it('ends the route at a quote that never closes, after the rows before it', async () => {
    const path = folder.path('open.csv')
    writeFileSync(path, 'a\n1\n"never\n2\n')
    const { end } = await openInput({ path, format: 'csv' })
    const batch = await end.receive({ messages: 10, bytes: 1 << 20 }, never)
    expect(texts(batch.messages)).toEqual(['{"a":"1"}'])
    await expect(end.receive({ messages: 10, bytes: 1 << 20 }, never)).rejects.toMatchObject({
      code: 'MQB_FILE_LONG_RECORD',
      kind: 'permanent',
    })
    await end.close()
  })

  it('leaves such a record out with on_long_record: skip, and names its bytes', async () => {
    const { rows, warnings } = await read('a\n1\n"never\n2\n', {}, { on_long_record: 'skip' })
    expect(rows).toEqual(['{"a":"1"}'])
    expect(warnings.join()).toContain('bytes 4 to 13')
  })

  it('escapes what JSON needs escaped', async () => {
    const { rows } = await read('a\n"\\ \t\b\u0001é"\n')
    expect(JSON.parse(rows[0] ?? '')).toEqual({ a: '\\ \t\b\u0001é' })
  })
})

describe('writing csv', () => {
  it('takes the columns from the first message, in its field order', async () => {
    const { text } = await write([
      '{"b":1.10,"a":"x, y","c":null}',
      '{"a":"q\\"q","b":12345678901234567890,"c":true}',
    ])
    expect(text).toBe('b,a,c\n1.10,"x, y",null\n12345678901234567890,"q""q",true\n')
  })

  it('flattens objects, and writes lists as JSON text', async () => {
    const { text } = await write(['{"a":{"b":1,"c":{"d":"x"}},"e":[1, 2],"f":{}}'])
    expect(text).toBe('a.b,a.c.d,e,f\n1,x,"[1, 2]",{}\n')
  })

  it('writes objects as JSON text with nested: json', async () => {
    expect((await write(['{"a":{"b":1}}'], { nested: 'json' })).text).toBe('a\n"{""b"":1}"\n')
  })

  it('keeps the header of the file that it appends to', async () => {
    writeFileSync(folder.path('out.csv'), 'b,a\n1,2\n')
    expect((await write(['{"a":3,"b":4}'])).text).toBe('b,a\n1,2\n4,3\n')
  })

  it('writes payloads that differ from the columns with one warning', async () => {
    const { text, warnings, outcomes } = await write(['{"a":1,"b":2}', '{"a":3,"x":9}', '{"b":4}'])
    expect(outcomes).toBe(ALL_ACKED)
    expect(text).toBe('a,b\n1,2\n3,\n,4\n')
    expect(warnings).toHaveLength(1)
  })

  it('fails them with on_mismatch: fail, and writes the others', async () => {
    const { text, outcomes } = await write(['{"a":1,"b":2}', '{"a":3}', '{"b":5,"a":4}'], {
      on_mismatch: 'fail',
    })
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      { error: { code: 'MQB_FILE_COLUMNS' } },
      { kind: 'ack' },
    ])
    expect(text).toBe('a,b\n1,2\n4,5\n')
  })

  for (const [title, payload, code] of [
    ['text', 'hello', 'MQB_FILE_NOT_JSON'],
    ['a list', '[1]', 'MQB_FILE_NOT_JSON'],
    ['an empty object', '{}', 'MQB_FILE_NOT_JSON'],
    ['half a surrogate pair', '{"a":"\\ud800"}', 'MQB_FILE_CELL'],
  ] as const)
    it(`fails ${title} alone`, async () => {
      const { outcomes, text } = await write(['{"a":1}', payload, '{"a":2}'])
      expect(outcomes).toMatchObject([
        { kind: 'ack' },
        { kind: 'failure', error: { code, kind: 'permanent' } },
        { kind: 'ack' },
      ])
      expect(text).toBe('a\n1\n2\n')
    })

  it('fails a null payload', async () => {
    const { end } = await openOutput({ path: folder.path('n.csv'), format: 'csv' })
    expect(await end.send([new Message(null)], never)).toMatchObject([
      { error: { code: 'MQB_FILE_NOT_JSON' } },
    ])
    await end.close()
  })

  it('fails a cell that needs quotes where there are none', async () => {
    const { outcomes } = await write(['{"a":"x,y"}', '{"a":"z"}'], { quote: 'none' })
    expect(outcomes).toMatchObject([{ error: { code: 'MQB_FILE_CELL' } }, { kind: 'ack' }])
  })

  it('quotes the only cell of a row when it is empty, so that it is no blank line', async () => {
    expect((await write(['{"a":""}'])).text).toBe('a\n""\n')
  })

  it('writes rows only with header: false', async () => {
    expect((await write(['{"a":1}'], { header: false })).text).toBe('1\n')
  })

  it('writes exactly the listed columns', async () => {
    expect((await write(['{"a":1,"b":2}'], { columns: ['b'] })).text).toBe('b\n2\n')
  })

  it('begins a new file with the header after the old one was moved away', async () => {
    const path = folder.path('out.csv')
    const { end } = await openOutput({ path, format: 'csv' })
    await end.send(messagesOf(['{"a":1}']), never)
    const { renameSync } = await import('node:fs')
    renameSync(path, `${path}.1`)
    await end.send(messagesOf(['{"a":2}']), never)
    await end.close()
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['a\n1\n', 'a\n2\n'])
  })

  it('lets two outputs write below one header, and refuses rows for another one', async () => {
    const path = folder.path('shared.csv')
    const first = await openOutput({ path, format: 'csv' })
    const second = await openOutput({ path, format: 'csv' })
    const answers = await Promise.all([
      first.end.send(messagesOf(['{"a":1,"b":2}']), never),
      second.end.send(messagesOf(['{"b":3,"a":4}']), never),
    ])
    expect(answers[0]).toBe(ALL_ACKED)
    expect(answers[1]).toMatchObject([{ error: { kind: 'retryable', code: 'MQB_FILE_HEADER' } }])
    expect(await second.end.send(messagesOf(['{"b":3,"a":4}']), never)).toBe(ALL_ACKED)
    await first.end.close()
    await second.end.close()
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n4,3\n')
  })
})
