import type { SchemeUri } from '@mqb/core'

const codecs: Readonly<Record<string, string>> = { '.gz': 'gzip', '.zst': 'zstd', '.lz4': 'lz4' }

/**
 * What the path of a URI says: `.csv` is CSV, anything else bare payloads (a configuration file defaults to whole
 * messages), and the ending of a compressed file names its codec.
 */
export function deriveFromUri({ path }: SchemeUri): Readonly<Record<string, unknown>> {
  const codec = /\.(gz|zst|lz4)$/i.exec(path)?.[0].toLowerCase()
  const inner = codec === undefined ? path : path.slice(0, -codec.length)
  return {
    format: /\.csv$/i.test(inner) ? 'csv' : 'raw',
    ...(codec === undefined ? {} : { compression: codecs[codec] }),
  }
}
