export { main } from './main.ts'
export { catchSignals, type Signals } from './process/signals.ts'
export { version } from './version.ts'
