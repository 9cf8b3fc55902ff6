import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import type { Logger, Message } from '@mqb/core'
import { memoryError } from '../errors.ts'
import type { Channel } from '../queue/channel.ts'
import { makeFolder, type SocketAddress } from './address.ts'
import { decodeBody } from './codec.ts'
import { FrameParser } from './frames.ts'

interface Connection {
  readonly socket: Socket
  readonly parser: FrameParser
  ended: boolean
}

/** How long a live owner of the socket has to answer. */
const probeMs = 2000

/**
 * The server end of a socket: reads frames of all connections in turn into a channel, and leaves them unread while the
 * channel is full.
 */
export class IpcListener {
  private readonly address: SocketAddress
  private readonly channel: Channel
  private readonly log: Logger
  private readonly server: Server
  private readonly connections = new Set<Connection>()
  private readonly stopping = new AbortController()
  private pumping: Promise<void> | undefined
  private closing: Promise<void> | undefined

  private constructor(address: SocketAddress, channel: Channel, log: Logger) {
    this.address = address
    this.channel = channel
    this.log = log
    this.server = createServer(socket => this.accept(socket))
    this.server.on('error', error => log.warn(`socket ${address.path}: ${error.message}`))
  }

  /**
   * Listens; replaces a socket file that nobody serves any more.
   *
   * @throws {MqbError} `config`: somebody serves it, or something else is there; `connection`: the system refused.
   */
  static async open(address: SocketAddress, channel: Channel, log: Logger): Promise<IpcListener> {
    if (!address.isPipe) {
      makeFolderOrExplain(address.path)
      await removeStale(address.path)
    }
    const listener = new IpcListener(address, channel, log)
    await listener.listen()
    return listener
  }

  get connectionCount(): number {
    return this.connections.size
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  private async shutDown(): Promise<void> {
    this.stopping.abort()
    // Closing a server unlinks its socket file.
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()))
    // What is whole was acked to its sender: it goes into the channel above the bound.
    await this.pump()
    for (const connection of this.connections) {
      this.warnAboutPartialFrame(connection)
      connection.socket.destroy()
    }
    this.connections.clear()
    await closed
  }

  private listen(): Promise<void> {
    const { path, isPipe } = this.address
    return new Promise<void>((resolve, reject) => {
      const refuse = (error: NodeJS.ErrnoException): void => {
        const code = error.code === 'EADDRINUSE' ? 'MQB_MEMORY_IPC_LIVE' : 'MQB_MEMORY_IPC_LISTEN'
        reject(memoryError(code, `cannot listen at ${path}: ${error.message}`, { cause: error }))
      }
      this.server.once('error', refuse)
      const begin = (): void => {
        this.server.listen({ path }, () => {
          this.server.off('error', refuse)
          resolve()
        })
      }
      // `listen` makes the file before it returns.
      if (isPipe) begin()
      else asOwnerOnly(path, begin)
    })
  }

  private accept(socket: Socket): void {
    const connection: Connection = { socket, parser: new FrameParser(), ended: false }
    this.connections.add(connection)
    socket.on('data', chunk => {
      connection.parser.push(chunk)
      socket.pause()
      void this.pump()
    })
    socket.on('end', () => {
      connection.ended = true
      void this.pump()
    })
    socket.on('error', error => this.log.warn(`socket ${this.address.path}: ${error.message}`))
    socket.on('close', () => {
      connection.ended = true
      void this.pump()
    })
  }

  private pump(): Promise<void> {
    this.pumping ??= this.moveFrames().finally(() => {
      this.pumping = undefined
    })
    return this.pumping
  }

  /** Moves whole frames into the channel, one of each connection in turn, and lets sockets that are empty be read. */
  private async moveFrames(): Promise<void> {
    let moved = true
    while (moved) {
      moved = false
      for (const connection of [...this.connections]) {
        if (await this.moveFrame(connection)) moved = true
      }
    }
  }

  /** False: the connection has no whole frame. */
  private async moveFrame(connection: Connection): Promise<boolean> {
    try {
      const body = connection.parser.next()
      if (body === undefined) {
        if (connection.ended) this.forget(connection)
        else connection.socket.resume()
        return false
      }
      await this.deliver(decodeBody(body))
      return true
    } catch (error) {
      this.refuse(connection, error)
      return false
    }
  }

  private async deliver(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return
    try {
      await this.channel.put(messages, this.stopping.signal)
    } catch (error) {
      // Its sender had the ack long ago: it stays for the next consumer of this process.
      if (!this.stopping.signal.aborted) throw error
      this.channel.giveBack(messages, 'back')
    }
  }

  private forget(connection: Connection): void {
    if (!this.connections.delete(connection)) return
    this.warnAboutPartialFrame(connection)
    this.log.warn(`socket ${this.address.path}: a publisher disconnected; still listening`)
  }

  private warnAboutPartialFrame({ parser }: Connection): void {
    if (!parser.partial) return
    this.log.warn(`socket ${this.address.path}: a publisher went away within a frame; the part was dropped`, {
      code: 'MQB_MEMORY_IPC_FRAME',
    })
  }

  /** After bytes that are no frame nothing on the connection can be understood. */
  private refuse(connection: Connection, error: unknown): void {
    this.connections.delete(connection)
    connection.socket.destroy()
    const reason = error instanceof Error ? error.message : String(error)
    this.log.error(`socket ${this.address.path}: a connection was closed: ${reason}`, {
      code: 'MQB_MEMORY_IPC_FRAME',
    })
  }
}

function makeFolderOrExplain(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    throw memoryError('MQB_MEMORY_IPC_PATH', `cannot make the folder of ${path}`, { cause: error })
  }
}

/** Makes a socket file that no other user can open, not even for the moment before its mode is set. */
function asOwnerOnly(path: string, make: () => void): void {
  // The mask belongs to the process; worker threads cannot set it.
  const mask = isMainThread ? process.umask(0o177) : undefined
  try {
    make()
  } finally {
    if (mask !== undefined) process.umask(mask)
  }
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    // The bind failed; its error event says why.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) {
    throw memoryError('MQB_MEMORY_IPC_PATH', `${path} is there and is no socket`)
  }
  if (await isServed(path)) throw memoryError('MQB_MEMORY_IPC_LIVE', `another process reads from ${path}`)
  unlinkSync(path)
}

/** Whether somebody accepts connections there. What is not plainly dead counts as alive. */
function isServed(path: string): Promise<boolean> {
  return new Promise<boolean>(resolve => {
    const probe = connect(path)
    const answer = (served: boolean): void => {
      probe.destroy()
      resolve(served)
    }
    probe.setTimeout(probeMs, () => answer(true))
    probe.once('connect', () => answer(true))
    probe.once('error', (error: NodeJS.ErrnoException) =>
      answer(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    )
  })
}
