import { isDeepStrictEqual } from 'node:util'
import type { Capabilities, EndpointDefinition, Side } from '@mqb/core'
import type { SuiteTest, TestRunner } from '../runner/runner.ts'
import { registerTests } from '../runner/runner.ts'
import { belongsTo, type ConnectorTest, type PromisedEnds } from './connector-test.ts'
import { type ConnectorSuiteOptions, everyHook, type ProvisionedEnds } from './options.ts'
import { parseConfig } from './parse-config.ts'
import { createWorld, type World } from './world.ts'

/** A rule of the contract that means nothing for the ends that were tested. */
export interface InapplicableRule {
  /** Name of the test. */
  readonly name: string
  /** The capability, or the hook, that rules it out. */
  readonly reason: string
}

/** What a suite asks of two ends, known before anything is provisioned. */
export interface Choice {
  readonly ends: PromisedEnds
  readonly tests: readonly ConnectorTest[]
  readonly inapplicable: readonly InapplicableRule[]
}

export function endpointOf({ plugin, endpoint }: ConnectorSuiteOptions): EndpointDefinition {
  const definition = plugin.endpoints?.[endpoint]
  if (definition === undefined) throw new TypeError(`the plugin has no endpoint ${endpoint}`)
  return definition
}

export function chooseTests(options: ConnectorSuiteOptions, all: readonly ConnectorTest[]): Choice {
  const ends: PromisedEnds = {
    input: promiseOf('input', options),
    output: promiseOf('output', options),
    hooks: options.hooks ?? [],
  }
  const tests: ConnectorTest[] = []
  const inapplicable: InapplicableRule[] = []
  for (const test of all) {
    if (!belongsTo(test, options.oneSided)) continue
    const reason = test.outOfPlace(ends)
    if (reason === undefined) tests.push(test)
    else inapplicable.push({ name: test.name, reason })
  }
  return { ends, tests, inapplicable }
}

/**
 * Registers what was chosen, and a test that tells what was not.
 *
 * @param suite called once per test: with the options that the tests were chosen for, or with others just like them.
 */
export function registerChoice(
  runner: TestRunner,
  suite: () => ConnectorSuiteOptions,
  { ends, tests, inapplicable }: Choice,
): void {
  registerTests(
    runner,
    inapplicable.length === 0 ? tests : [...tests, statement(inapplicable)],
    async () => {
      const options = suite()
      return createWorld(options, endpointOf(options), provisioned => assertPromised(provisioned, ends))
    },
    world => world.tearDown(),
  )
}

/** Passes when an end can be provisioned that promises what ruled these out. */
function statement(inapplicable: readonly InapplicableRule[]): SuiteTest<World> {
  return {
    name: 'states what does not apply',
    rule: 'capabilities, and what can be provisioned, decide which rules apply',
    async run(_world, note) {
      for (const { name, reason } of inapplicable) await note(`does not apply: ${name} (${reason})`)
    },
  }
}

function promiseOf(side: Side, options: ConnectorSuiteOptions): Capabilities | undefined {
  if (options.oneSided !== undefined && options.oneSided !== side) return undefined
  const definition = endpointOf(options)
  const example = definition.examples.find(candidate => candidate.side === side)
  const written = options.sample?.[side] ?? example?.config
  if (written === undefined && example === undefined)
    throw new TypeError(
      `${options.endpoint} has no example of an ${side} to tell its capabilities by: give one as \`sample\`, ` +
        'or say `oneSided` where the connector has no such side',
    )
  return definition.capabilities(parseConfig(definition.config, written, `the sample ${side}`), side)
}

/** What `provision` returned must be what the tests were chosen for, or a rule would silently go untested. */
function assertPromised(
  provisioned: { readonly hooks: ProvisionedEnds } & Readonly<Record<Side, Capabilities | undefined>>,
  promised: PromisedEnds,
): void {
  for (const side of ['input', 'output'] as const) {
    const [got, want] = [provisioned[side], promised[side]]
    if (got === undefined || want === undefined) continue
    const differs = Object.keys({ ...want, ...got }) as (keyof Capabilities)[]
    const [first] = differs.filter(key => !isDeepStrictEqual(got[key], want[key]))
    if (first !== undefined)
      throw new TypeError(
        `the ${side} that was provisioned has the capability \`${first}\` ${show(got[first])}, its sample ${show(want[first])}: ` +
          `set \`sample.${side}\` to a configuration with the same capabilities`,
      )
  }
  for (const hook of everyHook) {
    const returned = provisioned.hooks[hook] !== undefined
    if (returned === promised.hooks.includes(hook)) continue
    throw new TypeError(
      returned
        ? `provision returned ${hook}, which \`hooks\` does not name`
        : `\`hooks\` names ${hook}, which provision did not return`,
    )
  }
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'left out'
