import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFaultProxy, type FaultProxy } from '../src/index.ts'
import { becomesTrue } from '../src/runner/within.ts'

interface Client {
  readonly socket: Socket
  received(): string
  readonly closed: Promise<void>
  error(): string | undefined
}

let server: Server
let proxy: FaultProxy
const atServer: Socket[] = []
const clients: Socket[] = []

beforeEach(async () => {
  // Echoes, and keeps its side open when the client ends.
  server = createServer({ allowHalfOpen: true }, socket => {
    atServer.push(socket)
    socket.on('error', () => {})
    socket.on('data', bytes => socket.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy = await createFaultProxy({ target: { port: (server.address() as AddressInfo).port } })
})

afterEach(async () => {
  for (const socket of clients.splice(0)) socket.destroy()
  await proxy.close()
  for (const socket of atServer.splice(0)) socket.destroy()
  server.close()
  await once(server, 'close')
})

function open(): Client {
  const socket = connect({ port: proxy.port, host: proxy.host, allowHalfOpen: true })
  clients.push(socket)
  let text = ''
  let error: string | undefined
  socket.on('data', bytes => {
    text += bytes.toString('latin1')
  })
  socket.on('error', (reason: NodeJS.ErrnoException) => {
    error = reason.code
  })
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  return { socket, received: () => text, closed, error: () => error }
}

async function eventually(condition: () => boolean): Promise<void> {
  expect(await becomesTrue(condition, 3_000)).toBe(true)
}

/** Some turns of the event loop with time for the kernel: what could arrive has arrived. */
const pauseMs = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

async function opened(): Promise<Client> {
  const client = open()
  client.socket.write('hello')
  await eventually(() => client.received() === 'hello')
  return client
}

describe('a fault proxy', () => {
  it('forwards both directions and counts', async () => {
    const client = await opened()
    const large = 'x'.repeat(1_000_000)
    client.socket.write(large)
    await eventually(() => client.received().length === 1_000_005)
    expect(client.received().slice(5)).toBe(large)
    expect(proxy.counters).toEqual({
      accepted: 1,
      failed: 0,
      open: 1,
      bytesToTarget: 1_000_005,
      bytesToClient: 1_000_005,
    })
  })

  it('passes an end on and lets the other direction go on', async () => {
    const client = await opened()
    client.socket.end('bye')
    await eventually(() => client.received() === 'hellobye')
    atServer[0]!.end('last')
    await client.closed
    expect(client.received()).toBe('hellobyelast')
    await eventually(() => proxy.counters.open === 0)
  })

  it('cuts what is open with a reset, and takes new connections', async () => {
    const client = await opened()
    await proxy.cut()
    await client.closed
    expect(client.error()).toBe('ECONNRESET')
    expect(proxy.counters.open).toBe(0)
    await eventually(() => atServer[0]!.destroyed)
    await opened()
    expect(proxy.counters.accepted).toBe(2)
  })

  it('refuses new connections, keeps open ones, and accepts again on the same port', async () => {
    const client = await opened()
    const { port } = proxy
    await proxy.refuse()
    const refused = open()
    await refused.closed
    expect(refused.error()).toBe('ECONNREFUSED')
    client.socket.write('!')
    await eventually(() => client.received() === 'hello!')
    await proxy.accept()
    expect(proxy.port).toBe(port)
    await opened()
  })

  it('resets clients when the target cannot be reached', async () => {
    server.close()
    const client = open()
    await client.closed
    expect(client.error()).toBe('ECONNRESET')
    expect(proxy.counters).toMatchObject({ accepted: 1, failed: 1, open: 0 })
    server.listen(0, '127.0.0.1')
  })

  it('stalls each direction on its own', async () => {
    const client = await opened()
    proxy.stall('toClient')
    client.socket.write('one')
    await eventually(() => proxy.counters.bytesToTarget === 8)
    await pauseMs(30)
    expect(client.received()).toBe('hello')
    proxy.resume('toClient')
    await eventually(() => client.received() === 'helloone')
    proxy.stall('toTarget')
    client.socket.write('two')
    await pauseMs(30)
    expect(proxy.counters.bytesToTarget).toBe(8)
    proxy.resume()
    await eventually(() => client.received() === 'helloonetwo')
  })

  it('delays what passes', async () => {
    const client = await opened()
    proxy.delay(60, 'toClient')
    const start = performance.now()
    client.socket.write('late')
    await eventually(() => client.received() === 'hellolate')
    expect(performance.now() - start).toBeGreaterThanOrEqual(55)
  })

  it('limits the bytes of a second', async () => {
    const client = await opened()
    proxy.limit(10_000, 'toTarget')
    const start = performance.now()
    client.socket.write('x'.repeat(2_000))
    await eventually(() => client.received().length === 2_005)
    expect(performance.now() - start).toBeGreaterThanOrEqual(150)
    expect(() => proxy.limit(0)).toThrow(RangeError)
  })

  it('cuts after a number of bytes, which do arrive', async () => {
    const client = await opened()
    proxy.cutAfter(7, 'toTarget')
    const seen: Buffer[] = []
    atServer[0]!.on('data', bytes => seen.push(bytes))
    client.socket.write('0123456789')
    await client.closed
    await eventually(() => atServer[0]!.destroyed)
    expect(Buffer.concat(seen).length).toBeLessThanOrEqual(7)
    expect(proxy.counters.bytesToTarget).toBe(12)
  })

  it('ends one direction and lets the other go on', async () => {
    const client = await opened()
    const ended = once(client.socket, 'end')
    proxy.halfClose('toClient')
    await ended
    client.socket.write('still')
    await eventually(() => proxy.counters.bytesToTarget === 10)
  })

  it('is transparent again when it is healed', async () => {
    proxy.stall()
    proxy.delay(10_000)
    proxy.cutAfter(3)
    await proxy.refuse()
    await proxy.heal()
    await opened()
  })

  it('leaves nothing when it is closed, not even a stalled connection', async () => {
    await opened()
    const before = process.getActiveResourcesInfo().filter(kind => kind.startsWith('TCP')).length
    const other = await createFaultProxy({ target: { port: (server.address() as AddressInfo).port } })
    const socket = connect({ port: other.port, host: other.host })
    socket.on('error', () => {})
    const closed = new Promise(resolve => socket.once('close', resolve))
    await once(socket, 'connect')
    other.stall()
    socket.write('never')
    await eventually(() => other.counters.open === 1)
    await other.close()
    await other.close()
    await closed
    await eventually(
      () => process.getActiveResourcesInfo().filter(kind => kind.startsWith('TCP')).length === before,
    )
  })

  it('keeps its counts right over many cuts', async () => {
    for (let round = 0; round < 50; round++) {
      const client = await opened()
      await proxy.cut()
      await client.closed
    }
    expect(proxy.counters).toMatchObject({ accepted: 50, failed: 0, open: 0 })
  })
})
