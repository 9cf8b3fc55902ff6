/** Where to listen. */
export interface ListenAddress {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Reads `127.0.0.1:9090`, `[::1]:9090`, `localhost:9090`, or `:9090` for every interface. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%]+)\]|([^\s:[\]]*)):(\d{1,5})$/.exec(text.trim())
  if (match === null) return undefined
  const port = Number(match[3])
  return port > 65_535 ? undefined : { host: match[1] ?? (match[2] === '' ? '::' : (match[2] ?? '')), port }
}

export const formatAddress = ({ host, port }: ListenAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Addresses that only this machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\./.test(host)
