export * from './closed.ts'
export * from './mqb-error.ts'
export * from './normalize.ts'
export * from './signals.ts'
