export * from './recording-runner.ts'
export { type SuiteTest, type TestRunner, Unavailable } from './runner.ts'
