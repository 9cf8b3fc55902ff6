import { MqbError } from '../../errors/mqb-error.ts'
import type { Registry } from '../../registry/index.ts'
import { notInstalled } from '../not-installed.ts'
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

export function missingPackage(uri: string, part: string, packageName: string, registry: Registry): MqbError {
  const { code, what, mend } = notInstalled(part, packageName, registry)
  return uriError(uri, what, mend, code)
}
