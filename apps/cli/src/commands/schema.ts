import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeThrown } from '@mqb/core'
import { configSchema, formatReport } from '@mqb/core/config'
import type { Invocation } from '../arguments/invocation.ts'
import { registerPlugins, requestsOf } from '../config/load.ts'
import { exitCode } from '../process/exit-code.ts'
import type { Host } from '../process/host.ts'

/** Writes the JSON Schema of the configuration: of what comes with the command, and of the plugins that are named. */
export async function writeSchema(
  options: Extract<Invocation, { command: 'schema' }>,
  host: Host,
): Promise<number> {
  const { registry, problems } = await registerPlugins(requestsOf(options, host))
  if (problems.length > 0) {
    host.terminal.err(host.secrets.scrub(formatReport(problems)))
    return exitCode.invalid
  }
  const text = JSON.stringify(configSchema(registry), null, 2)
  if (options.path === '-') {
    host.terminal.out(text)
    return exitCode.done
  }
  try {
    writeFileSync(resolve(host.workingFolder, options.path), `${text}\n`)
  } catch (error) {
    host.terminal.err(`mqb: the schema cannot be written: ${describeThrown(error)}`)
    return exitCode.failed
  }
  return exitCode.done
}
