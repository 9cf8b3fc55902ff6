export { simpleEndpoint } from './endpoint.ts'
export { simpleMiddleware } from './middleware.ts'
export type {
  MaybePromise,
  SimpleBatch,
  SimpleCapabilities,
  SimpleEndpoint,
  SimpleEndpointFactory,
  SimpleEndpointOptions,
  SimpleItem,
  SimpleMiddleware,
  SimpleMiddlewareFactory,
  SimpleOptions,
  SimpleOutcome,
  SimpleResult,
  SimpleSlot,
} from './types.ts'
