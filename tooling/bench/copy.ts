import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { runForResult, runNode } from './child.ts'
import type { Measurement } from './define.ts'

const command = join(workspaceRoot, 'apps', 'cli', 'bin', 'mqb.js')

/** A copy through the command as users run it: its own flags for Node, one route from URI to URI. */
export async function timedCopy(
  input: string,
  output: string,
  batchSize: number,
): Promise<{
  readonly seconds: number
  readonly messages: number
  readonly startUp: number
  readonly rssMb: number
}> {
  rmSync(output, { force: true })
  const args = ['copy', `file:${input}`, `file:${output}`, '--drain', '--batch-size', String(batchSize)]
  const run = await runNode(['--max-semi-space-size=64', command, ...args])
  rmSync(output, { force: true })
  const { seconds, messages } = readSummary(run.stdout)
  return { seconds, messages, startUp: run.seconds - seconds, rssMb: run.rssMb }
}

/**
 * `copied 3_000_000 rows in 1.71s (…)`, or `in 724ms`: from the first read to the last write. Of a copy that left out some,
 * `copied 1_000 of 3_000 rows`, all of them count.
 */
export function readSummary(text: string): { readonly seconds: number; readonly messages: number } {
  const found = /^copied (?:[\d_]+ of )?([\d_]+) rows? in ([\d.]+)(ms|s) /m.exec(text)
  if (found === null) throw new Error(`no summary in ${JSON.stringify(text)}`)
  const amount = Number(found[2])
  return {
    messages: Number(found[1]?.replaceAll('_', '')),
    seconds: found[3] === 'ms' ? amount / 1000 : amount,
  }
}

/** Our copy as a rate, with the start-up apart. */
export async function copyRate(input: string, output: string, batchSize: number): Promise<Measurement> {
  const { seconds, messages, startUp, rssMb } = await timedCopy(input, output, batchSize)
  return {
    value: messages / seconds,
    rssMb,
    note: `start-up and end ${Math.round(startUp * 1000)} ms besides`,
  }
}

/** A reference program of `programs/` that prints its seconds and messages, as a rate. */
export async function referenceRate(args: readonly string[], output: string): Promise<Measurement> {
  const { result } = await runForResult<{ seconds: number; messages: number }>(args)
  rmSync(output, { force: true })
  return { value: result.messages / result.seconds }
}
