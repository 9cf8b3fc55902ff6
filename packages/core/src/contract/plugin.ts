import type { ZodType } from 'zod'
import type { Capabilities, Side } from './capabilities.ts'
import type { Consumer } from './consumer.ts'
import type { Opening } from './opening.ts'
import type { Publisher } from './publisher.ts'
import type { StoreProvider } from './store.ts'

/** The version of these contracts. Core refuses a plugin that was made for another one. */
export type ContractVersion = 1

/** A JSON Schema object, for plugins that bring no zod schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The one declaration of a component's configuration: a zod schema of an object, or plain JSON Schema. */
export type ConfigSchema<C> = ZodType<C> | JsonSchema

/** A configuration worth showing: rendered into docs and capability tables, and run by tests where it can be. */
export interface EndpointExample {
  readonly title: string
  readonly side: Side
  /** As written in YAML under the endpoint's key. */
  readonly config: unknown
}

/** An endpoint type. It serves the sides whose `open…` it has. */
export interface EndpointDefinition<C = unknown> {
  /** One line, for tables. */
  readonly summary: string
  readonly config: ConfigSchema<C>
  /** At least one per side. */
  readonly examples: readonly EndpointExample[]
  /** Composes or terminates instead of talking to a system; marked in the JSON Schema. */
  readonly structural?: boolean
  /** Output: answers whoever sent the message; refused on a route whose input has nobody who waits. */
  readonly needsCaller?: boolean
  /** What it is, without secrets: `file orders.csv`. */
  describe(config: C): string
  capabilities(config: C, side: Side): Capabilities
  /** Checks files and the like before anything opens; opens nothing. Throws `MqbError` kind `config`. */
  prepare?(config: C, context: PrepareContext): void | Promise<void>
  openConsumer?(config: C, opening: Opening): Promise<Consumer>
  openPublisher?(config: C, opening: Opening): Promise<Publisher>
}

/** A middleware type. It serves the sides whose `wrap…` it has; on the other side it is a start error. */
export interface MiddlewareDefinition<C = unknown> {
  readonly summary: string
  readonly config: ConfigSchema<C>
  readonly examples: readonly EndpointExample[]
  /** How it changes what the endpoint behind it promises. Left out: not at all. */
  changes?(capabilities: Capabilities, config: C, context: ChangeContext): Capabilities
  /** Checks files and the like before anything opens; opens nothing. Throws `MqbError` kind `config`. */
  prepare?(config: C, context: PrepareContext): void | Promise<void>
  /** Built once per start of a route; outlives reconnections of what it wraps. */
  wrapConsumer?(inner: Consumer, config: C, opening: Opening): Consumer | Promise<Consumer>
  wrapPublisher?(inner: Publisher, config: C, opening: Opening): Publisher | Promise<Publisher>
}

/** Where a middleware stands, for what it promises there. */
export interface ChangeContext {
  readonly side: Side
  /**
   * How many batches may be on their way side by side: the `concurrency` of the route at its own two ends, `Infinity`
   * wherever somebody else sends, as an endpoint does to those within it and a program to its publishers.
   */
  readonly concurrency: number
}

/** What is known about a route before anything opens. */
export interface PrepareContext {
  readonly route: string
  readonly path: string
  readonly side: Side
  readonly drain: boolean
  readonly batchSize: number
  readonly concurrency: number
  readonly faultInjection: boolean
  /** What the wrapped endpoint promises (for a middleware), or the endpoint itself. */
  readonly capabilities: Capabilities
  /** The kinds of the middlewares that stand beside it on this endpoint, in configuration order. */
  readonly middlewares: readonly string[]
  /**
   * The endpoints within which this one stands, nearest first; empty for the input and the output of a route. Each with
   * the kinds of its middlewares that are outside of this one: all that its outcomes still pass, in configuration order.
   */
  readonly enclosing: readonly { readonly kind: string; readonly middlewares: readonly string[] }[]
  /** Logged once when the route starts, and printed by `validate`. */
  warn(what: string, mend?: string): void
}

/** What `derive` of a scheme sees. */
export interface SchemeUri {
  /** The path as it goes into the configuration: percent-decoded, relative or absolute. `-` for standard streams. */
  readonly path: string
  /** Query parameters as written, percent-decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly side: Side
}

/** A URI scheme of the command line. Where the rest of the URI goes is told by the `uri` hints of the schema's fields. */
export interface SchemeDefinition {
  /** Key of the endpoint in the configuration. */
  readonly endpoint: string
  /** Fields that this scheme sets whatever the URI says; the URI's own parameters win over it. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /**
   * Further fields that follow from the URI itself, such as the format from the ending of a path. Applied like
   * `defaults` and over them; the URI's own parameters still win. For URIs only: a configuration file keeps the
   * defaults of the schema.
   */
  derive?(uri: SchemeUri): Readonly<Record<string, unknown>>
  /** The scheme to write into the connection URL instead: `pgcdc` becomes `postgres`. Empty: only the authority. */
  readonly rewriteTo?: string
  /** The rest is a path in the file system, so an authority is a mistake. Always so for the scheme `file`. */
  readonly localPath?: boolean
  /** Parameters that no field claims are errors instead of staying on the connection URL as driver options. */
  readonly strictParameters?: boolean
}

/** A plugin is plain data. Importing its package does nothing; the caller registers it. */
export interface Plugin {
  readonly name: string
  readonly contract: ContractVersion
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>>
  readonly middlewares?: Readonly<Record<string, MiddlewareDefinition>>
  /** By URL scheme. */
  readonly stores?: Readonly<Record<string, StoreProvider>>
  /** By URI scheme. */
  readonly schemes?: Readonly<Record<string, SchemeDefinition>>
}
