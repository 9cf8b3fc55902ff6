import { MqbError } from './mqb-error.ts'

/** What `receive`, `send` and `commit` reject with after `close`. */
export function closedError(what = 'the endpoint is closed'): MqbError {
  return new MqbError({ kind: 'connection', code: 'MQB_CLOSED', what })
}
