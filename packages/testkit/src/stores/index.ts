export { testCheckpointStore } from './checkpoint.ts'
export { testDedupStore } from './dedup.ts'
export { testStateStore } from './state.ts'
export type { ProvisionedStore, StoreSuiteOptions } from './suite.ts'
