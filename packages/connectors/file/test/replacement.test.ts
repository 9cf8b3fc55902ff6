import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { MqbError } from '@mqb/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../src/file-system.ts'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
let path: string
beforeEach(() => {
  folder = scratch()
  path = folder.path('queue')
})
afterEach(() => folder.remove())

const isRoot = process.getuid?.() === 0
const code = (thrown: unknown): string => (MqbError.is(thrown) ? thrown.code : String(thrown))

const removing = async () => {
  const { end } = await openInput({ path, format: 'raw', delete: true })
  const read = texts(await readAll(end))
  await end.close()
  return read
}
const inGroup = async (more = {}) => {
  const { end, opening } = await openInput({
    path,
    format: 'raw',
    mode: 'group_subscribe',
    group_id: 'g',
    ...more,
  })
  const read = texts(await readAll(end))
  await end.close()
  return { read, opening }
}

describe('a file that is replaced by a new version of itself', () => {
  it('is replaced where it is, when its path is a link', async () => {
    mkdirSync(folder.path('data'))
    writeFileSync(folder.path('data/real'), 'a\nb\n')
    symlinkSync('data/real', path)
    expect(await removing()).toEqual(['a', 'b'])
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(folder.path('data/real'), 'utf8')).toBe('')
    expect(readdirSync(folder.path('data'))).toEqual(['real'])
  })

  it('is replaced where it is, when it holds a position and is a link, also to what is not there yet', async () => {
    mkdirSync(folder.path('state'))
    writeFileSync(path, 'a\n')
    symlinkSync('state/offset', `${path}.g.offset`)
    expect((await inGroup()).read).toEqual(['a'])
    expect(lstatSync(`${path}.g.offset`).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(folder.path('state/offset'), 'utf8'))).toMatchObject({ offset: 2 })
    expect((await inGroup()).read).toEqual([])
  })

  it('leaves a file or link alone that happens to be called like its temporary one', async () => {
    writeFileSync(path, 'a\n')
    writeFileSync(`${path}.tmp`, 'mine')
    writeFileSync(folder.path('victim'), 'yours')
    symlinkSync('victim', `${path}.mqb.tmp`)
    expect(await removing()).toEqual(['a'])
    expect(readFileSync(`${path}.tmp`, 'utf8')).toBe('mine')
    expect(readFileSync(folder.path('victim'), 'utf8')).toBe('yours')
    expect(lstatSync(path).isFile()).toBe(true)
  })

  it('keeps its rights, whatever the mask of the process is', async () => {
    writeFileSync(path, 'a\n')
    chmodSync(path, 0o666)
    const mask = process.platform === 'win32' ? undefined : process.umask()
    expect(mask).not.toBe(0)
    await removing()
    expect(statSync(path).mode & 0o777).toBe(0o666)
  })

  it.runIf(isRoot)('keeps its owner', async () => {
    writeFileSync(path, 'a\n')
    chownSync(path, 1234, 1235)
    await removing()
    const { uid, gid } = statSync(path)
    expect([uid, gid]).toEqual([1234, 1235])
  })

  it('leaves nothing beside it when the disk is full', async () => {
    writeFileSync(path, 'a\nb\n')
    const { end } = await openInput(
      { path, format: 'raw', delete: true },
      {},
      {
        fileSystem: {
          ...nodeFileSystem,
          write: async () => {
            throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
          },
        },
      },
    )
    const batch = await end.receive({ messages: 1, bytes: 100 }, new AbortController().signal)
    await expect(batch.commit([{ kind: 'ack', as: 'delivered' }])).rejects.toMatchObject({
      kind: 'connection',
    })
    expect(readdirSync(folder.path('.'))).toEqual(['queue'])
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    await end.close()
  })
})

describe('what is no regular file', () => {
  const makeNode = (name: string, type: string, ...numbers: string[]): string => {
    execFileSync('mknod', [name, type, ...numbers])
    return name
  }

  it.runIf(process.platform === 'linux')('has no records removed from it: a pipe', async () => {
    makeNode(path, 'p')
    // Both ends, or opening it would wait for a writer.
    const writer = await nodeFileSystem.open(path, 'r+')
    const opening = openInput({ path, format: 'raw', delete: true })
    await expect(opening.catch(error => code(error))).resolves.toBe('MQB_FILE_NOT_A_FILE')
    await nodeFileSystem.close(writer)
    expect(lstatSync(path).isFIFO()).toBe(true)
  })

  const canMakeDevices = (() => {
    if (!isRoot || process.platform !== 'linux') return false
    const here = scratch()
    try {
      execFileSync('mknod', [here.path('n'), 'c', '1', '3'], { stdio: 'ignore' })
      writeFileSync(here.path('n'), 'x')
      return true
    } catch {
      return false
    } finally {
      here.remove()
    }
  })()

  it.runIf(canMakeDevices)('has no records removed from it: a device', async () => {
    for (const [name, minor] of [
      ['null', '3'],
      ['zero', '5'],
    ] as const) {
      const device = makeNode(folder.path(name), 'c', '1', minor)
      const opening = openInput({ path: device, format: 'raw', delimiter: '0x00', delete: true })
      await expect(opening.catch(error => code(error))).resolves.toBe('MQB_FILE_NOT_A_FILE')
      expect(lstatSync(device).isCharacterDevice()).toBe(true)
    }
  })

  it.runIf(canMakeDevices)('is not replaced by the position of a group', async () => {
    writeFileSync(path, 'a\n')
    const device = makeNode(`${path}.g.offset`, 'c', '1', '3')
    const { read, opening } = await inGroup({ position_lost: 'earliest' })
    expect(read).toEqual(['a'])
    expect(lstatSync(device).isCharacterDevice()).toBe(true)
    expect(opening.log.find('error', 'no regular file')).toHaveLength(1)
  })

  it.runIf(canMakeDevices)('is written to and stays what it is, as an output', async () => {
    const device = makeNode(folder.path('null'), 'c', '1', '3')
    symlinkSync('null', folder.path('link'))
    for (const name of ['null', 'link']) {
      const { end } = await openOutput({ path: folder.path(name), format: 'csv' })
      await end.send(messagesOf(['{"a":1}']), never)
      await end.close()
      expect(lstatSync(device).isCharacterDevice()).toBe(true)
    }
    expect(existsSync(folder.path('null.mqb.tmp'))).toBe(false)
    expect(readdirSync(folder.path('.')).sort()).toEqual(['link', 'null'])
  })
})
