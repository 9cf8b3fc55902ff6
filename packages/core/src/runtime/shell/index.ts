export { ConsumerShell } from './consumer-shell.ts'
export { PublisherShell } from './publisher-shell.ts'
export { SerialPublisher } from './serial-publisher.ts'
export { Supervisor } from './supervisor.ts'
