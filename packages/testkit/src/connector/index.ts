export type { InapplicableRule } from './choice.ts'
export * from './options.ts'
export { testConnector } from './suite.ts'
