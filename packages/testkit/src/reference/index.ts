export * from './channel.ts'
export { referencePositionKey } from './consumer.ts'
export * from './plugin.ts'
export { createReferenceStores } from './stores.ts'
