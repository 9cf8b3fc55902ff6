export * from './options.ts'
export { testMiddleware } from './suite.ts'
