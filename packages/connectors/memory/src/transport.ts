/** Where a topic lives, as its text says. Nothing is looked up yet. */
export type Transport =
  /** A channel or event store of this process. */
  | { readonly kind: 'process'; readonly name: string }
  /** A socket whose folder, or pipe whose prefix, follows from the platform. */
  | { readonly kind: 'named-socket'; readonly name: string }
  /** Exactly this socket. */
  | { readonly kind: 'socket-path'; readonly path: string }
  /** A Windows pipe, name verbatim. */
  | { readonly kind: 'pipe'; readonly name: string }

const schemeShape = /^([a-z][a-z0-9+.-]*):\/\//i
/** As in a URI of the command line. */
const shortShape = /^(memory|ipc|unix|pipe):(?!\/\/)/i
const socketNameShape = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** What `topic` says; a text instead of a transport says what is wrong with it. */
export function parseTransport(topic: string): Transport | string {
  const short = shortShape.exec(topic)?.[1]?.toLowerCase()
  if (short === 'memory') return parseTransport(`memory://${topic.slice(short.length + 1)}`)
  if (short !== undefined) return `expected ${short}:// with two slashes`
  const scheme = schemeShape.exec(topic)?.[1]
  if (scheme === undefined) {
    return topic.trim() === ''
      ? 'expected the name of a topic, got an empty text'
      : { kind: 'process', name: topic }
  }
  const rest = topic.slice(scheme.length + 3)
  if (rest === '') return `expected a name after ${scheme}://`
  switch (scheme.toLowerCase()) {
    case 'memory':
      return parseProcessName(rest)
    case 'ipc':
      return rest.startsWith('/') ? parseSocketPath(rest) : parseSocketName(rest)
    case 'unix':
      return rest.startsWith('/')
        ? parseSocketPath(rest)
        : 'unix:// needs an absolute path: unix:///run/app/x.sock'
    case 'pipe':
      return { kind: 'pipe', name: rest }
    default:
      return `no transport ${scheme}://; known are a plain name, memory://, ipc://, unix:// and pipe://`
  }
}

function parseProcessName(rest: string): Transport | string {
  const query = rest.indexOf('?')
  return query === -1
    ? { kind: 'process', name: rest }
    : `unknown parameter ${rest.slice(query + 1).split(/[=&]/)[0]} in the address of a memory topic`
}

function parseSocketName(rest: string): Transport | string {
  return socketNameShape.test(rest)
    ? { kind: 'named-socket', name: rest }
    : 'the name of a socket takes letters, digits, dots, dashes and underscores; a path begins with a slash: ipc:///run/app/x.sock'
}

function parseSocketPath(path: string): Transport | string {
  return path.endsWith('/') ? 'expected the path of a socket, got a folder' : { kind: 'socket-path', path }
}
