import { MqbError } from '../../errors/mqb-error.ts'
import { printable } from '../printable.ts'
import { redactUrl } from './redact.ts'

/** What is wrong with a URI. Carries the URI without passwords. */
export function uriError(uri: string, what: string, mend: string, code = 'MQB_URI_INVALID'): MqbError {
  return new MqbError({
    kind: 'config',
    code,
    where: printable(redactUrl(uri)),
    what: printable(what),
    mend: printable(mend),
  })
}
