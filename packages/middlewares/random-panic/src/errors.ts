import { type ErrorCodeTable, type ErrorKind, MqbError, type Side } from '@mqb/core'
import type { FaultMode } from './config.ts'

export const errorCodes: ErrorCodeTable = {
  MQB_FAULT_DISCONNECT: {
    kind: ['connection', 'retryable'],
    meaning: 'random_panic in mode disconnect: connection on an input, retryable on an output.',
    mend: 'The fault is deliberate: remove random_panic, or set enabled: false.',
  },
  MQB_FAULT_TIMEOUT: {
    kind: ['connection', 'retryable'],
    meaning: 'random_panic in mode timeout: connection on an input, retryable on an output.',
    mend: 'The fault is deliberate: remove random_panic, or set enabled: false.',
  },
  MQB_FAULT_JSON: {
    kind: 'permanent',
    meaning: 'random_panic in mode json_format_error, on an output.',
    mend: 'The fault is deliberate: remove random_panic, or set enabled: false.',
  },
  MQB_FAULT_NACK: {
    kind: 'retryable',
    meaning: 'random_panic in mode nack.',
    mend: 'The fault is deliberate: remove random_panic, or set enabled: false.',
  },
}

const texts: Record<Exclude<FaultMode, 'panic'>, { code: string; what: string }> = {
  disconnect: { code: 'MQB_FAULT_DISCONNECT', what: 'injected fault: the connection is lost' },
  timeout: { code: 'MQB_FAULT_TIMEOUT', what: 'injected fault: no answer came in time' },
  json_format_error: { code: 'MQB_FAULT_JSON', what: 'injected fault: the payload is not JSON' },
  nack: { code: 'MQB_FAULT_NACK', what: 'injected fault: not accepted' },
}

/** What the fault throws: a plain error for `panic`, as a bug in a plugin would. */
export function faultError(mode: FaultMode, side: Side, path: string): Error {
  if (mode === 'panic') return new Error('injected fault: panic')
  const { code, what } = texts[mode]
  return new MqbError({
    kind: kindOf(mode, side),
    code,
    where: path,
    what,
    mend: 'random_panic injects it on purpose; set enabled: false to stop it',
  })
}

function kindOf(mode: Exclude<FaultMode, 'panic'>, side: Side): ErrorKind {
  if (mode === 'json_format_error') return 'permanent'
  return mode === 'nack' || side === 'output' ? 'retryable' : 'connection'
}
