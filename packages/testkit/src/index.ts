export * from './fakes/index.ts'
