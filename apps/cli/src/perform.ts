import { describeThrown } from '@mqb/core'
import { createSecrets } from '@mqb/core/runtime'
import type { Invocation } from './arguments/invocation.ts'
import { exitCode } from './process/exit-code.ts'
import type { Host } from './process/host.ts'

type Performed = Exclude<Invocation, { command: 'print' }>

/** Does what the command line says, and ends the process with its exit code. */
export async function perform(invocation: Performed, around: Omit<Host, 'secrets'>): Promise<never> {
  const host: Host = { ...around, secrets: createSecrets() }
  const { terminal, secrets } = host
  const end = async (code: number): Promise<never> => {
    await terminal.flushed()
    const lost = terminal.stdoutFailure
    if (lost === undefined) process.exit(code)
    // Whoever reads the result has not got all of it.
    terminal.err(`mqb: writing to stdout failed: ${lost.message}`)
    await terminal.flushed()
    process.exit(code === exitCode.done ? exitCode.failed : code)
  }
  // What nobody caught, in mqb or in a plugin, leaves by the same gate as everything else.
  process.on('uncaughtException', error => {
    const stack = error instanceof Error ? `\n${error.stack}` : ''
    terminal.err(secrets.scrub(`mqb: an error that nobody caught: ${describeThrown(error)}${stack}`))
    void end(exitCode.failed)
  })
  return end(await run(invocation, host))
}

async function run(invocation: Performed, host: Host): Promise<number> {
  const { terminal, secrets } = host
  switch (invocation.command) {
    case 'misused':
      terminal.err(secrets.scrub(`mqb: ${invocation.problem.what}\n  ${invocation.problem.mend}`))
      return exitCode.invalid
    case 'run':
      return (await import('./commands/run.ts')).run(invocation, host)
    case 'copy':
      return (await import('./commands/copy.ts')).copy(invocation, host)
    case 'eval':
      return (await import('./commands/eval.ts')).evaluateExpression(invocation, host)
    case 'validate':
      return (await import('./commands/validate.ts')).validate(invocation, host)
    case 'schema':
      return (await import('./commands/schema.ts')).writeSchema(invocation, host)
  }
}
