export * from './fault-proxy.ts'
