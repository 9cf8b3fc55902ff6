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
  /** Calls once when stdout takes nothing any more: its reader went away, or writing to it failed. */
  onStdoutEnd(listener: () => void): void
  /** The reader of stdout went away, as with `| head`. */
  readonly readerGone: boolean
  /** Anything else that ended stdout, such as a full disk: what was written last is missing. */
  readonly stdoutFailure: Error | undefined
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

// On a pipe, on a socket, and on a pipe of Windows.
const readerLeft = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

const eraseLine = '\r\u001b[K'

export function createTerminal(color: ColorChoice, streams: Streams = process): Terminal {
  const { stdout, stderr, env } = streams
  let stdoutError: NodeJS.ErrnoException | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    stdoutError ??= error
  })
  stderr.on('error', () => {})
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
    onStdoutEnd(listener) {
      stdout.once('error', listener)
    },
    get readerGone() {
      return stdoutError !== undefined && readerLeft.has(stdoutError.code ?? '')
    },
    get stdoutFailure() {
      return stdoutError !== undefined && !readerLeft.has(stdoutError.code ?? '') ? stdoutError : undefined
    },
    async flushed() {
      await Promise.all([drained(stdout), drained(stderr)])
      // The error of a write that failed is told one turn later.
      await new Promise(resolve => setImmediate(resolve))
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
