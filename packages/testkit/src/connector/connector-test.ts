import type { Capabilities, Lack, Side } from '@mqb/core'
import type { SuiteTest } from '../runner/runner.ts'
import type { Hook } from './options.ts'
import type { World } from './world.ts'

/** What a test works with. */
export type Needs = 'input' | 'output' | 'put' | 'take' | Hook

/** What the ends of a suite promise, `undefined` where there is no such end, and the hooks that come with them. */
export interface PromisedEnds {
  readonly input: Capabilities | undefined
  readonly output: Capabilities | undefined
  readonly hooks: readonly Hook[]
}

type Ends = Pick<PromisedEnds, Side>

export interface ConnectorTest extends SuiteTest<World> {
  readonly needs: readonly Needs[]
  /** Why the rule does not apply to these ends; `undefined` where it does. */
  outOfPlace(ends: PromisedEnds): string | undefined
}

interface Declaration {
  readonly name: string
  readonly rule: string
  readonly needs: readonly Needs[]
  /** Capabilities that it takes: the reason why they are missing, or `undefined`. Both ends are asked for. */
  readonly when?: (ends: Ends) => string | undefined
  run(world: World): Promise<void>
}

export function connectorTest({ name, rule, needs, when, run }: Declaration): ConnectorTest {
  return {
    name,
    rule,
    needs,
    outOfPlace(ends) {
      // A capability says more than a hook: it holds for everybody.
      const reason = when?.(ends)
      if (reason !== undefined) return reason
      const missing = needs.find(need => !has(ends, need))
      return missing === undefined ? undefined : `nothing is provisioned for ${missing}`
    },
    run,
  }
}

/** Whether the test belongs to a suite of this side. */
export function belongsTo(test: ConnectorTest, side: Side | undefined): boolean {
  if (side === undefined) return true
  return !test.needs.includes(side === 'input' ? 'output' : 'input')
}

function has({ input, output, hooks }: PromisedEnds, need: Needs): boolean {
  switch (need) {
    case 'input':
      return input !== undefined
    case 'output':
      return output !== undefined
    case 'put':
      return output !== undefined || hooks.includes('feed')
    case 'take':
      return input !== undefined || hooks.includes('readBack')
    default:
      return hooks.includes(need)
  }
}

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
