import type { Writable } from 'node:stream'

/** Where the command writes. A reader that went away is no error: what it would have read is dropped. */
export interface Terminal {
  readonly stderrIsTerminal: boolean
  /** Whether what goes to stderr may have colours. */
  readonly color: boolean
  /** Writes lines to stdout. */
  out(text: string): void
  /** Writes lines to stderr; a status line that is shown there moves below them. */
  err(text: string): void
  /** Shows a line at the foot of the terminal that the next one replaces; `undefined` takes it away. */
  statusLine(text: string | undefined): void
  /** Calls once when nobody reads stdout any more. */
  onReaderGone(listener: () => void): { readonly gone: boolean }
  /** Resolves when both streams have taken everything, or are gone. */
  flushed(): Promise<void>
}

export type ColorChoice = 'auto' | 'always' | 'never'

export function useColor(choice: ColorChoice, isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  if (choice !== 'auto') return choice === 'always'
  return isTerminal && (environment.NO_COLOR ?? '') === ''
}

/** The part of `process` that is written to. */
export interface Streams {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: NodeJS.ProcessEnv
}

type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

const eraseLine = '\r\u001b[K'

export function createTerminal(color: ColorChoice, streams: Streams = process): Terminal {
  const { stdout, stderr, env } = streams
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  const stderrIsTerminal = stderr.isTTY === true
  let shown: string | undefined

  const write = (stream: OutputStream, text: string): void => {
    if (stream.writable) stream.write(text)
  }
  // A terminal that does not tell its width says 0.
  const fitted = (text: string): string => text.slice(0, Math.max(10, (stderr.columns || 80) - 1))

  return {
    stderrIsTerminal,
    color: useColor(color, stderrIsTerminal, env),
    out(text) {
      // On a terminal both streams end up on one screen: the status line must not be in the way.
      if (shown !== undefined) write(stderr, eraseLine)
      shown = undefined
      write(stdout, `${text}\n`)
    },
    err(text) {
      if (shown === undefined) return write(stderr, `${text}\n`)
      write(stderr, `${eraseLine}${text}\n${fitted(shown)}`)
    },
    statusLine(text) {
      if (text === undefined && shown === undefined) return
      shown = text
      write(stderr, text === undefined ? eraseLine : `${eraseLine}${fitted(text)}`)
    },
    onReaderGone(listener) {
      let gone = false
      stdout.once('error', () => {
        gone = true
        listener()
      })
      return {
        get gone() {
          return gone
        },
      }
    },
    async flushed() {
      await Promise.all([drained(stdout), drained(stderr)])
    },
  }
}

function drained(stream: OutputStream): Promise<void> {
  return new Promise(resolve => {
    if (!stream.writable || stream.writableLength === 0) return resolve()
    stream.once('error', () => resolve())
    stream.write('', () => resolve())
  })
}
