import type { Capabilities, Lack, Side } from '@mqb/core'
import type { SuiteTest } from '../runner/runner.ts'
import type { World } from './world.ts'

/** What a test works with; a test is skipped where the ends that were provisioned do not have it. */
export type Needs =
  | 'input'
  | 'output'
  | 'put'
  | 'take'
  | 'feed'
  | 'readBack'
  | 'poison'
  | 'cutConnection'
  | 'restartServer'

export interface ConnectorTest extends SuiteTest<World> {
  readonly needs: readonly Needs[]
}

interface Declaration {
  readonly name: string
  readonly rule: string
  readonly needs: readonly Needs[]
  /** Capabilities that it takes: the reason why they are missing, or `undefined`. Both ends are asked for. */
  readonly when?: (ends: {
    input: Capabilities | undefined
    output: Capabilities | undefined
  }) => string | undefined
  run(world: World): Promise<void>
}

export function connectorTest(declaration: Declaration): ConnectorTest {
  const { name, rule, needs, when } = declaration
  return {
    name,
    rule,
    needs,
    skip(world) {
      const missing = needs.find(need => !has(world, need))
      if (missing !== undefined) return `nothing was provisioned for ${missing}`
      return when?.({ input: world.input?.capabilities, output: world.output?.capabilities })
    },
    run: declaration.run,
  }
}

/** Whether the test belongs to a suite of this side. */
export function belongsTo(test: ConnectorTest, side: Side | undefined): boolean {
  if (side === undefined) return true
  return !test.needs.includes(side === 'input' ? 'output' : 'input')
}

function has(world: World, need: Needs): boolean {
  switch (need) {
    case 'input':
    case 'output':
      return world[need] !== undefined
    case 'put':
      return world.canPut
    case 'take':
      return world.canTake
    default:
      return world.hooks[need] !== undefined
  }
}

type Ends = { input: Capabilities | undefined; output: Capabilities | undefined }

/** The source hands a message over again when it was not settled. Sources whose callers wait answer them instead. */
export const redelivers = ({ input }: Ends): string | undefined =>
  input?.acks !== true
    ? 'capability `acks` of the input is false'
    : input.replies === 'yes'
      ? 'capability `replies` of the input is yes: its callers are answered, nothing comes again'
      : undefined

/** What was committed is known to the next opening. */
export const remembers = ({ input }: Ends): string | undefined =>
  input?.startsOver === true ? 'capability `startsOver` of the input is true' : undefined

export const carries =
  (lack: Lack) =>
  ({ input, output }: Ends): string | undefined =>
    input?.lacks.includes(lack) === true || output?.lacks.includes(lack) === true
      ? `capability \`lacks\` names ${lack}`
      : undefined

/** The first reason not to run. */
export const both =
  (...conditions: ((ends: Ends) => string | undefined)[]) =>
  (ends: Ends): string | undefined => {
    for (const condition of conditions) {
      const reason = condition(ends)
      if (reason !== undefined) return reason
    }
    return undefined
  }
