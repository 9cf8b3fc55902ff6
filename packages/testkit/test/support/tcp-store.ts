import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import {
  ALL_ACKED,
  type Consumer,
  defineEndpoint,
  definePlugin,
  Message,
  MqbError,
  noCapabilities,
  outcomeAt,
  type Publisher,
  settles,
} from '@mqb/core'
import { endpoint } from '@mqb/core/config'
import * as z from 'zod'

interface Request {
  readonly id: number
  readonly take?: number
  readonly done?: readonly string[]
  readonly back?: readonly string[]
  readonly put?: readonly string[]
}

/** A store of texts behind a socket: what is taken and not said to be done goes back when the connection is lost. */
export class TcpStore {
  readonly waiting: string[] = []
  readonly done: string[] = []
  readonly stored: string[] = []
  private readonly server = createServer(socket => this.serve(socket))
  private readonly hungry: (() => void)[] = []

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return (this.server.address() as AddressInfo).port
  }

  add(...texts: string[]): void {
    this.waiting.push(...texts)
    for (const feed of this.hungry.splice(0)) feed()
  }

  async close(): Promise<void> {
    this.server.close()
    await once(this.server, 'close')
  }

  private serve(socket: Socket): void {
    const lent = new Set<string>()
    socket.on('error', () => {})
    socket.once('close', () => {
      this.waiting.unshift(...lent)
      lent.clear()
    })
    const answer = (id: number, texts: readonly string[] = []): boolean =>
      socket.write(`${JSON.stringify({ id, texts })}\n`)
    const take = (id: number, count: number): void => {
      if (socket.destroyed) return
      const texts = this.waiting.splice(0, count)
      if (texts.length === 0) {
        this.hungry.push(() => take(id, count))
        return
      }
      for (const text of texts) lent.add(text)
      answer(id, texts)
    }
    linesOf(socket, line => {
      const request = JSON.parse(line) as Request
      if (request.take !== undefined) {
        take(request.id, request.take)
        return
      }
      // What went back when another connection was lost is no longer this one's to settle.
      for (const text of request.done ?? []) if (lent.delete(text)) this.done.push(text)
      for (const text of request.back ?? []) if (lent.delete(text)) this.waiting.unshift(text)
      this.stored.push(...(request.put ?? []))
      answer(request.id)
    })
  }
}

function linesOf(socket: Socket, onLine: (line: string) => void): void {
  // It repeats the errors of the socket, whose end is what counts.
  createInterface({ input: socket })
    .on('line', onLine)
    .on('error', () => {})
}

/** A connection to a store. Everything that waits fails as `connection` when it is lost. */
class Client {
  private readonly socket: Socket
  private readonly calls = new Map<
    number,
    { resolve(texts: readonly string[]): void; reject(error: unknown): void }
  >()
  private lastId = 0

  private constructor(socket: Socket) {
    this.socket = socket
    linesOf(socket, line => {
      const { id, texts } = JSON.parse(line) as { id: number; texts: string[] }
      this.calls.get(id)?.resolve(texts)
      this.calls.delete(id)
    })
    socket.once('close', () => {
      for (const { reject } of this.calls.values()) reject(lost())
      this.calls.clear()
    })
  }

  static async open(port: number): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
    } catch {
      throw lost()
    }
    socket.on('error', () => {})
    return new Client(socket)
  }

  call(request: Omit<Request, 'id'>): Promise<readonly string[]> {
    if (this.socket.destroyed) return Promise.reject(lost())
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject })
      this.socket.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  }

  async close(): Promise<void> {
    if (this.socket.destroyed) return
    this.socket.destroy()
    await once(this.socket, 'close')
  }
}

const lost = (): MqbError => new MqbError({ kind: 'connection', code: 'TEST_LOST', what: 'reset' })
const status = () => ({ healthy: true, target: 'store' })

function consumer(client: Client): Consumer {
  let taking: Promise<readonly string[]> | undefined
  return {
    async receive({ messages: count }, signal) {
      signal.throwIfAborted()
      // An answer that comes after the signal is for the next receive.
      taking ??= client.call({ take: count })
      const texts = await new Promise<readonly string[]>((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        taking?.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
      }).catch(error => {
        if (!signal.aborted) taking = undefined
        throw error
      })
      taking = undefined
      return {
        messages: texts.map(text => new Message(text)),
        async commit(outcomes) {
          const isDone = (at: number): boolean => settles(outcomeAt(outcomes, at))
          await client.call({
            done: texts.filter((_, at) => isDone(at)),
            back: texts.filter((_, at) => !isDone(at)),
          })
        },
      }
    },
    pin: async () => {},
    status,
    close: () => client.close(),
  }
}

function publisher(client: Client): Publisher {
  return {
    async send(messages) {
      await client.call({ put: messages.map(message => message.text()) })
      return ALL_ACKED
    },
    flush: async () => {},
    status,
    close: () => client.close(),
  }
}

/** `store: { port }` is either end; `both: { to: […] }` sends everything to each of several outputs. */
export const storePlugin = definePlugin({
  name: 'mqb-test-store',
  endpoints: {
    store: defineEndpoint({
      summary: 'A store behind a socket.',
      config: z.strictObject({ port: z.int().meta({ description: 'Where it listens.' }) }),
      examples: [
        { title: 'Read', side: 'input', config: { port: 1 } },
        { title: 'Write', side: 'output', config: { port: 1 } },
      ],
      describe: ({ port }) => `store ${port}`,
      capabilities: () => ({ ...noCapabilities, acks: true }),
      openConsumer: async ({ port }) => consumer(await Client.open(port)),
      openPublisher: async ({ port }) => publisher(await Client.open(port)),
    }),
    both: defineEndpoint({
      summary: 'Every output gets every message.',
      config: z.strictObject({
        to: z.array(endpoint('output')).meta({ description: 'The outputs.', examples: [[]] }),
      }),
      examples: [{ title: 'To nobody', side: 'output', config: { to: [] } }],
      structural: true,
      describe: () => 'both',
      capabilities: () => ({ ...noCapabilities, acks: true }),
      async openPublisher({ to }, opening) {
        const outputs = await Promise.all(to.map((plan, at) => plan.open(opening.child(`to[${at}]`))))
        return {
          async send(messages, signal) {
            const answers = await Promise.all(outputs.map(output => output.send(messages, signal)))
            return answers.find(answer => answer !== ALL_ACKED) ?? ALL_ACKED
          },
          flush: async () => {
            await Promise.all(outputs.map(output => output.flush()))
          },
          status: () => ({ healthy: outputs.every(output => output.status().healthy), target: 'both' }),
          close: async () => {
            await Promise.all(outputs.map(output => output.close()))
          },
        }
      },
    }),
  },
})
