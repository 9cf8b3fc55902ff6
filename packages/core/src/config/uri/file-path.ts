import { decodePart } from './split.ts'
import { uriError } from './usage.ts'

/** `file:a/b` is relative, `file:///a` absolute, `file://localhost/a` the same; any other authority is a slip. */
export function filePath(scheme: string, rest: string, uri: string): string {
  if (scheme === '-') return '-'
  const [, authority, path = ''] = /^(?:\/\/([^/]*))?(.*)$/s.exec(rest) ?? []
  if (authority !== undefined && authority !== '' && authority.toLowerCase() !== 'localhost') {
    throw uriError(
      uri,
      `${JSON.stringify(authority)} stands where a host would, it is not part of the path`,
      `write ${scheme}:${authority}${path} for a path relative to the working directory, ${scheme}:///${authority}${path} for an absolute one`,
    )
  }
  const decoded = decodePart(path, uri)
  if (decoded === '') throw uriError(uri, 'the path is missing', `write for example ${scheme}:orders.csv`)
  return decoded
}
