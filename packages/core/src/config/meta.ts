import type { Side } from '../contract/capabilities.ts'

/** Where a part of a URI goes: what a field may say about itself in `.meta({ uri })`. */
export type UriHint =
  /** The whole connection URL; parameters that no field claims stay on it as driver options. */
  | 'url'
  /** What follows the authority, without the leading slash, percent-decoded. */
  | 'path'
  /** `scheme://authority` without path and query. */
  | 'origin'
  /** The part after `+` in `name+part:`. */
  | 'subscheme'
  /** A parameter of the query: what every field is that says nothing. */
  | 'query'

declare module 'zod' {
  interface GlobalMeta {
    /** One or two sentences for tables, editors and error texts. */
    description?: string | undefined
    /** Values worth copying; the first one is shown in errors. */
    examples?: readonly unknown[] | undefined
    /** The field means something on this side only; on the other it is reported as a warning. */
    side?: Side | undefined
    uri?: UriHint | undefined
    /** Never shown in a log, an error, a status or a page. */
    secret?: boolean | undefined
    /** The value is a whole endpoint of that side. */
    endpoint?: Side | undefined
    /** The value may hold `${namespace:selector}` tokens. */
    template?: boolean | undefined
    /** The value is a text in the expression language. */
    expression?: boolean | undefined
    /** Filled in by core before validation when it is left out. */
    defaultFrom?: 'route' | undefined
  }
}
