export * from './all-acked.ts'
export * from './outcome.ts'
