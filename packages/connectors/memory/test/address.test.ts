import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveAddress, type Surroundings } from '../src/ipc/address.ts'
import { scratchFolder } from './support/process.ts'

const named = { kind: 'named-socket', name: 'orders' } as const

function surroundings(extra: Partial<Surroundings> = {}): Surroundings {
  return { platform: 'linux', env: {}, temporaryFolder: scratchFolder(), ...extra }
}

describe.skipIf(process.platform === 'win32')('where a named socket is', () => {
  it('is in the runtime folder of the user before the temporary folder', () => {
    const runtime = scratchFolder()
    const path = resolveAddress(named, 'consumer', surroundings({ env: { XDG_RUNTIME_DIR: runtime } })).path
    expect([join(runtime, 'mq-bridge', 'orders.sock'), '/run/mq-bridge/orders.sock']).toContain(path)
  })

  it('is looked for by a publisher where one is already', () => {
    const around = surroundings({ env: { XDG_RUNTIME_DIR: scratchFolder() } })
    const folder = join(around.temporaryFolder, 'mq-bridge')
    mkdirSync(folder)
    writeFileSync(join(folder, 'orders.sock'), '')
    expect(resolveAddress(named, 'publisher', around).path).toBe(join(folder, 'orders.sock'))
  })

  it('is never in a folder that everybody may write', () => {
    const runtime = scratchFolder()
    mkdirSync(join(runtime, 'mq-bridge'))
    chmodSync(join(runtime, 'mq-bridge'), 0o777)
    const path = resolveAddress(named, 'consumer', surroundings({ env: { XDG_RUNTIME_DIR: runtime } })).path
    expect(path.startsWith(runtime)).toBe(false)
  })

  it('must not be longer than the system allows', () => {
    const transport = { kind: 'socket-path', path: `/tmp/${'x'.repeat(120)}.sock` } as const
    expect(() => resolveAddress(transport, 'consumer', surroundings())).toThrow('MQB_MEMORY_IPC_PATH')
  })
})

describe('Windows pipes', () => {
  const windows = surroundingsOf('win32')

  it('take the name verbatim, or with a prefix for ipc://', () => {
    expect(resolveAddress({ kind: 'pipe', name: 'a' }, 'consumer', windows).path).toBe('\\\\.\\pipe\\a')
    expect(resolveAddress(named, 'consumer', windows).path).toBe('\\\\.\\pipe\\mq-bridge-orders')
  })

  it('are refused elsewhere, as are socket files on Windows', () => {
    const pipe = { kind: 'pipe', name: 'a' } as const
    expect(() => resolveAddress(pipe, 'consumer', surroundingsOf('linux'))).toThrow('MQB_MEMORY_IPC_PLATFORM')
    const path = { kind: 'socket-path', path: '/x.sock' } as const
    expect(() => resolveAddress(path, 'consumer', windows)).toThrow('MQB_MEMORY_IPC_PLATFORM')
  })
})

function surroundingsOf(platform: NodeJS.Platform): Surroundings {
  return { platform, env: {}, temporaryFolder: '/tmp' }
}
