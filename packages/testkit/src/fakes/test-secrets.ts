import type { Secrets } from '@mqb/core'

export interface TestSecrets extends Secrets {
  /** Every value that was added, also those too short to be searched. */
  readonly values: ReadonlySet<string>
}

const mask = '***'
// scheme://user:password@host; the password may not contain the characters that end the authority.
const urlPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*:)[^\s/?#]*(?=@)/gi

/** Hides known values as they are, percent-encoded and in base64, and the passwords of URLs. */
export function createTestSecrets(): TestSecrets {
  const values = new Set<string>()
  return {
    values,
    add(value) {
      values.add(value)
    },
    scrub(text) {
      let scrubbed = text
      // Longer values first: one may contain another.
      for (const value of [...values].sort((a, b) => b.length - a.length)) {
        if (value.length < 4) continue
        for (const form of formsOf(value)) scrubbed = scrubbed.replaceAll(form, mask)
      }
      return scrubbed.replace(urlPassword, `$1${mask}`)
    },
  }
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}
