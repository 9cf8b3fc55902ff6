export * from './id.ts'
export * from './message.ts'
export * from './metadata.ts'
