import { describeThrown } from '@mqb/core'
import { createSecrets } from '@mqb/core/runtime'
import type { Invocation } from './arguments/invocation.ts'
import { parseArguments } from './arguments/parse.ts'
import { exitCode } from './process/exit-code.ts'
import type { Host } from './process/host.ts'
import type { Signals } from './process/signals.ts'
import { createTerminal } from './process/terminal.ts'
import { version } from './version.ts'

/** The whole command: reads the arguments, does what they say, and ends the process. */
export async function main(args: readonly string[], signals: Signals): Promise<never> {
  const invocation = parseArguments(args, version)
  const host: Host = {
    terminal: createTerminal('color' in invocation ? invocation.color : 'auto'),
    signals,
    secrets: createSecrets(),
    environment: process.env,
    workingFolder: process.cwd(),
  }
  const { terminal, secrets } = host
  const end = async (code: number): Promise<never> => {
    await terminal.flushed()
    process.exit(code)
  }
  // What nobody caught, in mqb or in a plugin, leaves by the same gate as everything else.
  process.on('uncaughtException', error => {
    const stack = error instanceof Error ? `\n${error.stack}` : ''
    terminal.err(secrets.scrub(`mqb: an error that nobody caught: ${describeThrown(error)}${stack}`))
    void end(exitCode.failed)
  })
  return end(await perform(invocation, host))
}

async function perform(invocation: Invocation, host: Host): Promise<number> {
  const { terminal, secrets } = host
  // Each command is loaded when it is asked for: a wrong option should be told in no time.
  switch (invocation.command) {
    case 'print':
      terminal.out(invocation.text)
      return exitCode.done
    case 'misused':
      terminal.err(secrets.scrub(`mqb: ${invocation.problem.what}\n  ${invocation.problem.mend}`))
      return exitCode.invalid
    case 'run':
      return (await import('./commands/run.ts')).run(invocation, host)
    case 'copy':
      return (await import('./commands/copy.ts')).copy(invocation, host)
    case 'validate':
      return (await import('./commands/validate.ts')).validate(invocation, host)
    case 'schema':
      return (await import('./commands/schema.ts')).writeSchema(invocation, host)
  }
}
