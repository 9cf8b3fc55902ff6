export * from '../observe/index.ts'
