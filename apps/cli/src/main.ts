import { parseArguments } from './arguments/parse.ts'
import type { Signals } from './process/signals.ts'
import { createTerminal } from './process/terminal.ts'
import { version } from './version.ts'

/** The whole command: reads the arguments, does what they say, and ends the process. */
export async function main(args: readonly string[], signals: Signals): Promise<never> {
  const invocation = parseArguments(args, version)
  const terminal = createTerminal('color' in invocation ? invocation.color : 'auto')
  if (invocation.command === 'print') {
    terminal.out(invocation.text)
    await terminal.flushed()
    process.exit(0)
  }
  // Everything else is loaded only now: help should come at once.
  const { perform } = await import('./perform.ts')
  return perform(invocation, { terminal, signals, environment: process.env, workingFolder: process.cwd() })
}
