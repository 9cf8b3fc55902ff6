import { customCodes } from '../../errors/codes-custom.ts'
import { type ErrorKind, MqbError } from '../../errors/mqb-error.ts'

/** An error about an object that was registered in code; what to do comes from the table unless it is said here. */
export function simpleError(
  code: 'MQB_CUSTOM_WRONG_SIDE' | 'MQB_CUSTOM_RESULT' | 'MQB_CUSTOM_NACKED',
  kind: ErrorKind,
  what: string,
  mend: string = customCodes[code]!.mend,
): MqbError {
  return new MqbError({ kind, code, what, mend })
}
