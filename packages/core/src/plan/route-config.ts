import type { RouteOptions } from './plan.ts'

// Each member is the key of a part and what stands under it. Plugins add theirs next to their schema:
//
//   declare module '@mqb/core' {
//     interface EndpointConfigs { shelf: z.input<typeof shelfConfig> }
//   }

/** The endpoints that are typed in this program: those of every plugin that it imports. */
export interface EndpointConfigs {
  readonly ref: string
  readonly custom: CustomConfig
}

/** The middlewares that are typed in this program. */
export interface MiddlewareConfigs {
  readonly custom: CustomConfig
}

/** A part that was registered in code, by its name. */
export interface CustomConfig {
  readonly name: string
  readonly config?: unknown
}

type Typed<Configs> = { readonly [Name in keyof Configs]?: Configs[Name] }

/** An entry of `middlewares`: one key, or a name alone. Names that no imported plugin has take anything. */
export type MiddlewareConfig = string | (Typed<MiddlewareConfigs> & { readonly [name: string]: unknown })

/**
 * An endpoint as in a configuration file: one key that names its type, and `middlewares` beside it. Types that no
 * imported plugin has take anything; everything is checked again when a route is made of it.
 */
export type EndpointConfig = Typed<EndpointConfigs> & {
  readonly middlewares?: readonly MiddlewareConfig[]
  readonly [type: string]: unknown
}

/** A route as in a configuration file. */
export interface RouteConfig extends Partial<RouteOptions> {
  readonly input: EndpointConfig
  /** Null or left out: everything is discarded. */
  readonly output?: EndpointConfig | null
}
