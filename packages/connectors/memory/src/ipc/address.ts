import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { memoryError } from '../errors.ts'
import type { Transport } from '../transport.ts'

/** What `net` listens and connects to. */
export interface SocketAddress {
  readonly path: string
  readonly isPipe: boolean
}

/** `sun_path` of Linux and macOS, less its final zero byte. */
const maxPathBytes = process.platform === 'darwin' ? 103 : 107

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly temporaryFolder: string
}

const here = (): Surroundings => ({ platform: process.platform, env: process.env, temporaryFolder: tmpdir() })

/**
 * The address that a transport stands for.
 *
 * @param role a publisher looks where a socket is; a consumer takes the first folder that it may write.
 * @throws {MqbError} kind `config`: not for this platform, no writable folder, path too long.
 */
export function resolveAddress(
  transport: Exclude<Transport, { kind: 'process' }>,
  role: 'consumer' | 'publisher',
  { platform, env, temporaryFolder }: Surroundings = here(),
): SocketAddress {
  const windows = platform === 'win32'
  if (transport.kind === 'pipe' || (windows && transport.kind === 'named-socket')) {
    if (!windows) throw memoryError('MQB_MEMORY_IPC_PLATFORM', `pipe://${transport.name} is a Windows pipe`)
    const name = transport.kind === 'pipe' ? transport.name : `mq-bridge-${transport.name}`
    return { path: `\\\\.\\pipe\\${name}`, isPipe: true }
  }
  if (windows) {
    throw memoryError('MQB_MEMORY_IPC_PLATFORM', 'Windows has no sockets in the file system for this')
  }
  const path =
    transport.kind === 'socket-path'
      ? transport.path
      : join(namedFolder(transport.name, role, env, temporaryFolder), `${transport.name}.sock`)
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw memoryError(
      'MQB_MEMORY_IPC_PATH',
      `the socket path ${path} has ${Buffer.byteLength(path)} bytes; ${maxPathBytes} are possible`,
    )
  }
  return { path, isPipe: false }
}

function namedFolder(
  name: string,
  role: 'consumer' | 'publisher',
  env: Surroundings['env'],
  temporaryFolder: string,
): string {
  const runtimeFolder = env.XDG_RUNTIME_DIR
  const candidates = [
    '/run/mq-bridge',
    ...(runtimeFolder === undefined || runtimeFolder === '' ? [] : [join(runtimeFolder, 'mq-bridge')]),
    join(temporaryFolder, 'mq-bridge'),
  ]
  if (role === 'publisher') {
    const present = candidates.find(folder => existsSync(join(folder, `${name}.sock`)))
    if (present !== undefined) return present
  }
  const writable = candidates.find(isUsable)
  if (writable !== undefined) return writable
  throw memoryError(
    'MQB_MEMORY_IPC_PATH',
    `no folder for sockets is writable: tried ${candidates.join(', ')}`,
  )
}

/** The folder is there and ours to write, or can be made. */
function isUsable(folder: string): boolean {
  try {
    const found = statSync(folder, { throwIfNoEntry: false })
    accessSync(found === undefined ? dirname(folder) : folder, constants.W_OK | constants.X_OK)
    // In a folder that all may write, somebody else's folder may be a trap.
    return found === undefined || (found.isDirectory() && (found.mode & 0o002) === 0)
  } catch {
    return false
  }
}

/** Makes the folder of a socket, for this user only. One that is there stays as it is. */
export function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
}
