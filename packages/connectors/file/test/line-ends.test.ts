import { execFileSync } from 'node:child_process'
import { constants, existsSync, lstatSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../src/file-system.ts'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

describe('a CSV file whose lines end in CR alone', () => {
  it('is refused with what to set, instead of having no rows', async () => {
    const path = folder.path('old.csv')
    writeFileSync(path, 'a,b\r1,2\r3,4\r')
    const { end } = await openInput({ path, format: 'csv' })
    await expect(readAll(end)).rejects.toMatchObject({
      code: 'MQB_FILE_HEADER',
      kind: 'permanent',
      mend: 'set `delimiter: "0x0d"`',
    })
    await end.close()
    const mended = await openInput({ path, format: 'csv', delimiter: '0x0d' })
    expect(texts(await readAll(mended.end))).toEqual(['{"a":"1","b":"2"}', '{"a":"3","b":"4"}'])
    await mended.end.close()
  })
})

describe.runIf(process.platform === 'linux')('a named pipe as an input', () => {
  it('is refused at once, without waiting for its writer', async () => {
    const path = folder.path('pipe')
    execFileSync('mkfifo', [path])
    await expect(openInput({ path, format: 'raw' })).rejects.toMatchObject({
      code: 'MQB_FILE_NOT_A_FILE',
      kind: 'permanent',
      mend: expect.stringContaining('standard input'),
    })
    expect(lstatSync(path).isFIFO()).toBe(true)
  })
})

describe.runIf(process.platform === 'linux')('a named pipe as an output', () => {
  it('is not waited for while nobody reads it, and written to once somebody does', async () => {
    const path = folder.path('pipe')
    execFileSync('mkfifo', [path])
    await expect(openOutput({ path, format: 'raw' })).rejects.toMatchObject({
      code: 'MQB_FILE_IO',
      kind: 'retryable',
      what: expect.stringContaining('nobody reads the pipe'),
    })
    const reader = await nodeFileSystem.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { end } = await openOutput({ path, format: 'raw' })
    await end.send(messagesOf(['a']), never)
    const read = Buffer.alloc(10)
    expect(read.subarray(0, await nodeFileSystem.read(reader, read, 0, 10, null)).toString()).toBe('a\n')
    await end.close()
    await nodeFileSystem.close(reader)
  })
})

describe('directories of an output', () => {
  it('are made as deep as needed, and one that is there is fine', async () => {
    await nodeFileSystem.makeDirectory(folder.path('a/b/c'))
    await nodeFileSystem.makeDirectory(folder.path('a/b/c'))
    expect(existsSync(folder.path('a/b/c'))).toBe(true)
    writeFileSync(folder.path('file'), '')
    await expect(nodeFileSystem.makeDirectory(folder.path('file'))).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(nodeFileSystem.makeDirectory(folder.path('file/below'))).rejects.toMatchObject({
      code: 'ENOTDIR',
    })
  })

  it.runIf(existsSync('/proc/self'))(
    'fail where nothing can be made, instead of being tried for ever',
    async () => {
      await expect(nodeFileSystem.makeDirectory('/proc/mqb-none/below')).rejects.toMatchObject({
        code: 'ENOENT',
      })
    },
  )
})
