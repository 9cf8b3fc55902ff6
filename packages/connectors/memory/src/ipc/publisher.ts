import { connect, type Socket } from 'node:net'
import {
  ALL_ACKED,
  ack,
  closedError,
  type EndpointStatus,
  failure,
  type Message,
  MqbError,
  type Opening,
  type Outcome,
  type Outcomes,
  type Publisher,
} from '@mqb/core'
import { memoryError } from '../errors.ts'
import { publishable } from '../publishable.ts'
import type { SocketAddress } from './address.ts'
import { maxFrameBytes, maxPayloadBytes } from './codec.ts'
import { framesOf } from './frames.ts'

/** A consumer that has not read for so long is worth a warning. */
const blockedMs = 5000

/** Writes frames to a socket: acked when the operating system has taken the bytes. */
export class IpcPublisher implements Publisher {
  private readonly address: SocketAddress
  private readonly target: string
  private readonly opening: Opening
  private readonly socket: Socket
  /** Rejections of the writes that wait. */
  private readonly waiting = new Set<(error: MqbError) => void>()
  private broken: MqbError | undefined
  private blocked = false

  private constructor(address: SocketAddress, target: string, opening: Opening, socket: Socket) {
    this.address = address
    this.target = target
    this.opening = opening
    this.socket = socket
    socket.on('error', error => this.fail(this.lost(error)))
    socket.on('close', () => this.fail(this.lost()))
    // The consumer never writes; without reading, its end would go unnoticed.
    socket.resume()
  }

  /** @throws {MqbError} kind `connection`: nothing listens there. */
  static open(address: SocketAddress, target: string, opening: Opening): Promise<IpcPublisher> {
    return new Promise<IpcPublisher>((resolve, reject) => {
      const socket = connect(address.path)
      const { signal } = opening
      const cancel = (): void => {
        socket.destroy()
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancel, { once: true })
      const refuse = (error: Error): void => {
        signal.removeEventListener('abort', cancel)
        reject(
          memoryError('MQB_MEMORY_IPC_NO_CONSUMER', `cannot connect to ${address.path}: ${error.message}`, {
            cause: error,
          }),
        )
      }
      socket.once('error', refuse)
      socket.once('connect', () => {
        socket.off('error', refuse)
        signal.removeEventListener('abort', cancel)
        resolve(new IpcPublisher(address, target, opening, socket))
      })
      if (signal.aborted) cancel()
    })
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    signal.throwIfAborted()
    if (this.broken !== undefined) throw this.broken
    const outcomes: Outcome[] = []
    const refuse = (index: number, bytes: number): void => {
      const what = `the message takes ${bytes} bytes; a payload has at most ${maxPayloadBytes}, a frame ${maxFrameBytes}`
      outcomes[index] = failure(memoryError('MQB_MEMORY_IPC_TOO_LARGE', what))
    }
    let written = 0
    try {
      for (const frame of framesOf(publishable(messages), refuse)) {
        await this.write(frame.bytes, signal)
        written += frame.indexes.length
        for (const index of frame.indexes) outcomes[index] = ack('delivered')
      }
    } catch (error) {
      // What earlier frames of a large batch carried over is not sent again.
      if (written === 0 || !MqbError.is(error)) throw error
      for (const index of messages.keys()) outcomes[index] ??= failure(error)
    }
    return written === messages.length ? ALL_ACKED : outcomes
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return {
      healthy: this.broken === undefined && !this.blocked,
      target: this.target,
      ...(this.broken === undefined ? {} : { error: this.broken.what }),
      details: { socket: this.address.path, unsent_bytes: this.socket.writableLength, blocked: this.blocked },
    }
  }

  close(): Promise<void> {
    this.fail(closedError())
    return new Promise<void>(resolve => {
      if (this.socket.closed) return resolve()
      this.socket.once('close', () => resolve())
      // What the system has taken still arrives: `destroySoon` ends the connection behind it.
      if (this.socket.writableLength === 0) this.socket.destroySoon()
      else this.socket.destroy()
    })
  }

  private write(bytes: Buffer, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const cancelWarning = this.opening.clock.timer(blockedMs, () => this.warnBlocked())
      const end = (finish: () => void): void => {
        cancelWarning()
        this.waiting.delete(lose)
        signal.removeEventListener('abort', leave)
        finish()
      }
      const lose = (error: MqbError): void => end(() => reject(error))
      const leave = (): void => end(() => reject(signal.reason))
      this.waiting.add(lose)
      signal.addEventListener('abort', leave, { once: true })
      this.socket.write(bytes, error => {
        if (error == null) this.blocked = false
        end(() => (error == null ? resolve() : reject(this.broken ?? this.lost(error))))
      })
    })
  }

  /** Once for each time that it blocks, however many sends wait. */
  private warnBlocked(): void {
    if (this.blocked || this.broken !== undefined) return
    this.blocked = true
    this.opening.log.warn(
      `the consumer at ${this.address.path} has not read for ${blockedMs / 1000} s; waiting, nothing is dropped`,
      { code: 'MQB_MEMORY_IPC_BLOCKED' },
    )
  }

  private lost(cause?: Error): MqbError {
    const what = `the connection to ${this.address.path} is gone${cause === undefined ? '' : `: ${cause.message}`}`
    return memoryError('MQB_MEMORY_IPC_LOST', what, cause === undefined ? {} : { cause })
  }

  private fail(error: MqbError): void {
    this.broken ??= error
    for (const reject of [...this.waiting]) reject(this.broken)
  }
}
