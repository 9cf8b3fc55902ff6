import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Direction, directions, Faults } from './faults.ts'
import { forward, type ProxiedConnection, reset } from './forward.ts'

export type { Direction } from './faults.ts'

export interface FaultProxyOptions {
  /** Where the connections go on to: a port on a host, or the path of a unix socket. */
  readonly target: { readonly port: number; readonly host?: string } | { readonly path: string }
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
}

export interface FaultProxyCounters {
  /** Connections that clients have opened. */
  readonly accepted: number
  /** Of these, the ones that could not be connected to the target. */
  readonly failed: number
  /** Open now. */
  readonly open: number
  readonly bytesToTarget: number
  readonly bytesToClient: number
}

/**
 * A TCP proxy that is transparent until it is told otherwise. Faults apply to open and to new connections at once, and
 * stay until they are taken back. A direction that is left out means both.
 */
export interface FaultProxy {
  readonly host: string
  /** Chosen by the system; the same for the life of the proxy. */
  readonly port: number
  readonly counters: FaultProxyCounters
  /** Resets every open connection; new ones work. Resolves when they are closed on this side. */
  cut(): Promise<void>
  /** Cuts a connection once this many more bytes, counted over all connections, have passed. They do arrive. */
  cutAfter(bytes: number, direction?: Direction): void
  /** New connections are refused by the system, as when nothing listens. Open ones stay. */
  refuse(): Promise<void>
  /** Takes `refuse` back. */
  accept(): Promise<void>
  /** Bytes are read no more: what is under way waits, the sender feels it once the buffers are full. */
  stall(direction?: Direction): void
  /** Takes `stall` back; what has waited goes on in order. */
  resume(direction?: Direction): void
  /** Holds each piece, of 64 KiB at most, for `ms` before it goes on. 0 takes it back. */
  delay(ms: number, direction?: Direction): void
  /** Forwards at most this many bytes a second for each connection. `Infinity` takes it back. */
  limit(bytesPerSecond: number, direction?: Direction): void
  /** Sends an end to where the direction leads, on every open connection; the other direction goes on. */
  halfClose(direction: Direction): void
  /** Transparent again: takes back every fault. */
  heal(): Promise<void>
  /** Cuts everything and stops listening. Nothing is left; more calls do nothing. */
  close(): Promise<void>
}

export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const host = options.host ?? '127.0.0.1'
  const faults = new Faults()
  const connections = new Set<ProxiedConnection>()
  const halfOpen = new Set<Socket>()
  const bytes: Record<Direction, number> = { toTarget: 0, toClient: 0 }
  let accepted = 0
  let failed = 0
  let closed = false

  function onClient(client: Socket): void {
    accepted++
    halfOpen.add(client)
    client.setNoDelay(true)
    const target = connect({ ...options.target, allowHalfOpen: true })
    halfOpen.add(target)
    const settle = (): void => {
      halfOpen.delete(client)
      halfOpen.delete(target)
    }
    // The reset below is the answer to either error; without listeners an error would end the process.
    client.on('error', () => {})
    target.on('error', () => {})
    const onFailure = (): void => {
      settle()
      failed++
      reset(client)
      target.destroy()
    }
    target.once('close', onFailure)
    target.once('connect', () => {
      target.off('close', onFailure)
      settle()
      target.setNoDelay(true)
      const connection = forward(client, target, faults, (direction, count) => {
        bytes[direction] += count
      })
      connections.add(connection)
      connection.closed.then(() => connections.delete(connection))
    })
  }

  let server: Server | undefined = await listen(host, 0, onClient)
  const { port } = server.address() as AddressInfo

  async function unlisten(): Promise<void> {
    const ending = server
    server = undefined
    if (ending === undefined) return
    // `close` calls back only when the last connection is gone; here it is enough that nobody listens any more.
    ending.close()
    await new Promise<void>(resolve => setImmediate(resolve))
  }

  async function accept(): Promise<void> {
    if (!closed) server ??= await listen(host, port, onClient)
  }

  async function cut(): Promise<void> {
    const open = [...connections]
    for (const connection of open) connection.cut()
    for (const socket of [...halfOpen]) reset(socket)
    await Promise.all(open.map(connection => connection.closed))
  }

  const each = (direction: Direction | undefined): readonly Direction[] =>
    direction === undefined ? directions : [direction]

  return {
    host,
    port,
    get counters() {
      return {
        accepted,
        failed,
        open: connections.size,
        bytesToTarget: bytes.toTarget,
        bytesToClient: bytes.toClient,
      }
    },
    cut,
    cutAfter(count, direction) {
      for (const one of each(direction)) faults.bytesLeft[one] = count
    },
    refuse: unlisten,
    accept,
    stall(direction) {
      for (const one of each(direction)) faults.stalled[one] = true
    },
    resume(direction) {
      for (const one of each(direction)) faults.stalled[one] = false
      faults.changed()
    },
    delay(ms, direction) {
      for (const one of each(direction)) faults.delayMs[one] = ms
    },
    limit(bytesPerSecond, direction) {
      if (!(bytesPerSecond > 0)) throw new RangeError('a limit is more than 0 bytes a second; use stall()')
      for (const one of each(direction)) faults.bytesPerSecond[one] = bytesPerSecond
    },
    halfClose(direction) {
      for (const connection of connections) connection.halfClose(direction)
    },
    async heal() {
      faults.clear()
      await accept()
    },
    async close() {
      closed = true
      await unlisten()
      await cut()
    },
  }
}

async function listen(host: string, port: number, onClient: (client: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, onClient)
  server.listen(port, host)
  await once(server, 'listening')
  return server
}
