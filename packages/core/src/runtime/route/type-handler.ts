import { MqbError } from '../../errors/mqb-error.ts'
import type { Message } from '../../message/message.ts'
import type { Handler, HandlerResult } from './handler.ts'

/** What a typed handler is told beside the data. */
export interface TypeHandlerContext {
  /** The whole message, for its id and metadata and for `derive`. */
  readonly message: Message
  /** The value of the metadata key that chose the handler. */
  readonly kind: string
}

export type TypedHandler<T = unknown> = (
  data: T,
  context: TypeHandlerContext,
) => HandlerResult | Promise<HandlerResult>

/** Chooses among handlers by a metadata key, `kind` by default, and gives them the payload parsed as JSON. */
export class TypeHandler {
  private readonly key: string
  private readonly handlers = new Map<string, TypedHandler>()
  private fallback: Handler | undefined

  /** @param key the metadata key that names the kind of a message. */
  constructor(key = 'kind') {
    this.key = key
  }

  /** @throws {TypeError} the kind has a handler already. */
  add<T = unknown>(kind: string, handler: TypedHandler<T>): this {
    if (this.handlers.has(kind)) throw new TypeError(`the kind ${JSON.stringify(kind)} has a handler already`)
    this.handlers.set(kind, handler as TypedHandler)
    return this
  }

  /** Called with messages of an unknown kind. Without it they fail for good. */
  withFallback(handler: Handler): this {
    this.fallback = handler
    return this
  }

  /** The handler of a route. */
  handle(message: Message): HandlerResult | Promise<HandlerResult> {
    const kind = message.getMetadata(this.key)
    const handler = kind === undefined ? undefined : this.handlers.get(kind)
    if (handler !== undefined && kind !== undefined) return handler(parsed(message), { message, kind })
    if (this.fallback !== undefined) return this.fallback(message)
    throw new MqbError({
      kind: 'permanent',
      code: 'MQB_HANDLER_UNKNOWN_KIND',
      what:
        kind === undefined
          ? `the message has no metadata ${JSON.stringify(this.key)}`
          : `no handler for the kind ${JSON.stringify(kind)}`,
      mend: `known kinds: ${[...this.handlers.keys()].join(', ')}; add a handler, or a fallback`,
    })
  }
}

function parsed(message: Message): unknown {
  try {
    return message.json()
  } catch (thrown) {
    throw new MqbError({
      kind: 'permanent',
      code: 'MQB_HANDLER_NOT_JSON',
      what: 'the payload is not JSON, which a typed handler needs',
      mend: 'use a plain handler for payloads of other formats',
      cause: thrown,
    })
  }
}
