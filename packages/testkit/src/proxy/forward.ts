import type { Socket } from 'node:net'
import { type Direction, type Faults, pause } from './faults.ts'

/** A pair of sockets and what passes between them. */
export interface ProxiedConnection {
  /** Ends both sides at once, as a crash does: with a reset. */
  cut(): void
  /** Sends an end to where this direction leads; the other direction goes on. */
  halfClose(direction: Direction): void
  /** Resolves when both sockets are closed. */
  readonly closed: Promise<void>
}

/** Forwards both directions until both have ended, one side fails, or the connection is cut. */
export function forward(
  client: Socket,
  target: Socket,
  faults: Faults,
  count: (direction: Direction, bytes: number) => void,
): ProxiedConnection {
  const ended = new AbortController()
  const sinks: Record<Direction, Socket> = { toTarget: target, toClient: client }
  const sources: Record<Direction, Socket> = { toTarget: client, toClient: target }

  function cut(): void {
    for (const socket of [client, target]) reset(socket)
  }

  async function pump(direction: Direction): Promise<void> {
    const sink = sinks[direction]
    for await (const chunk of sources[direction].iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Buffer
      await pause(faults.delayMs[direction], ended.signal)
      for (let at = 0; at < bytes.length; ) {
        await faults.passable(direction, ended.signal)
        if (ended.signal.aborted || sink.writableEnded) return
        const rate = faults.bytesPerSecond[direction]
        const left = faults.bytesLeft[direction]
        // Small slices, so that a change of the faults applies at once and a limit is smooth.
        const size = Math.min(
          bytes.length - at,
          left,
          rate === Infinity ? 65_536 : Math.max(1, Math.ceil(rate / 50)),
        )
        if (size > 0) {
          await write(sink, bytes.subarray(at, at + size), ended.signal)
          count(direction, size)
        }
        at += size
        faults.bytesLeft[direction] = left - size
        if (faults.bytesLeft[direction] <= 0) {
          await flushed(sink)
          cut()
          return
        }
        if (rate !== Infinity) await pause((size / rate) * 1_000, ended.signal)
      }
    }
    // An end may be overtaken by nothing either.
    await faults.passable(direction, ended.signal)
    if (!sink.writableEnded) sink.end()
  }

  // A reset of one side ends the other: whoever reads there must not wait for bytes that cannot come.
  for (const direction of ['toTarget', 'toClient'] as const) pump(direction).catch(cut)
  const closed = Promise.all([closing(client), closing(target)]).then(() => ended.abort())
  for (const socket of [client, target])
    socket.once('close', hadError => {
      ended.abort()
      if (hadError || !socket.readableEnded) cut()
    })
  return {
    cut,
    halfClose: direction => {
      if (!sinks[direction].writableEnded) sinks[direction].end()
    },
    closed,
  }
}

function closing(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}

/** A reset instead of an end; a socket that is not connected yet is only dropped. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return
  if (socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}

function write(sink: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (sink.write(bytes)) return Promise.resolve()
  return new Promise(resolve => {
    const end = (): void => {
      sink.off('drain', end)
      sink.off('close', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    sink.once('drain', end)
    sink.once('close', end)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Everything written has gone to the kernel. */
function flushed(sink: Socket): Promise<void> {
  if (sink.writableLength === 0) return Promise.resolve()
  return new Promise(resolve => {
    sink.write(Buffer.alloc(0), () => resolve())
    sink.once('close', () => resolve())
  })
}
