export * from './connector/index.ts'
export * from './fakes/index.ts'
export * from './reference/index.ts'
export * from './runner/index.ts'
