export * from './options.ts'
export { testConnector } from './suite.ts'
