export * from './recording-runner.ts'
export type * from './runner.ts'
