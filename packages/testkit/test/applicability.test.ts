import { describe, expect, it } from 'vitest'
import {
  type ConnectorSuiteOptions,
  createRecordingRunner,
  createReferenceConnector,
  type InapplicableRule,
  type RecordedTest,
  testConnector,
} from '../src/index.ts'

const statement = 'states what does not apply'

async function run(
  changes: Partial<ConnectorSuiteOptions>,
  wanted: (name: string) => boolean = name => name === statement,
): Promise<{ rules: readonly InapplicableRule[]; results: readonly RecordedTest[] }> {
  const runner = createRecordingRunner()
  const rules = testConnector(runner, { ...createReferenceConnector().suite(), ...changes })
  return { rules, results: await runner.run(wanted) }
}

describe('rules that do not apply', () => {
  it('are no tests; the last test of the suite and the returned list name them with their reasons', async () => {
    const { rules, results } = await run({})
    expect(rules).toContainEqual({
      name: 'a payload over the bound fails alone and for good',
      reason: 'capability `maxPayloadBytes` is null',
    })
    expect(rules).toContainEqual({
      name: 'an ordered output writes nothing behind a message that failed for now',
      reason: 'nothing is provisioned for poison',
    })
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({
      state: 'passed',
      notes: rules.map(({ name, reason }) => `does not apply: ${name} (${reason})`),
    })
    const names = new Set(rules.map(rule => rule.name))
    expect((await run({}, name => names.has(name))).results).toEqual([])
  })

  it('follow from the first example of a side where there is no sample', async () => {
    const connector = createReferenceConnector()
    const { provision, hooks, plugin, endpoint } = connector.suite()
    const options: ConnectorSuiteOptions = { plugin, endpoint, provision, hooks: hooks! }
    expect(testConnector(createRecordingRunner(), options)).toEqual((await run({})).rules)
  })

  it('do not hide behind a sample that promises less than what is provisioned', async () => {
    const connector = createReferenceConnector()
    const { results } = await run({ provision: () => connector.provision({ order: 'ordered' }) })
    expect(String(results[0]!.error)).toBe(
      'TypeError: the input that was provisioned has the capability `commitOrder` "ordered", its sample "any": ' +
        'set `sample.input` to a configuration with the same capabilities',
    )
  })

  it('do not hide behind a hook that is not named, or named and not there', async () => {
    const every = createReferenceConnector().suite().hooks!
    const unnamed = await run({ hooks: every.filter(hook => hook !== 'cutConnection') })
    expect(String(unnamed.results[0]!.error)).toContain(
      'provision returned cutConnection, which `hooks` does not',
    )
    const missing = await run({ hooks: [...every, 'poison'] })
    expect(String(missing.results[0]!.error)).toContain(
      '`hooks` names poison, which provision did not return',
    )
  })

  it('cannot be told for an endpoint without an example and without a sample', () => {
    const { plugin, endpoint, provision } = createReferenceConnector().suite()
    const bare = { ...plugin.endpoints!.reference!, examples: [] }
    const register = () =>
      testConnector(createRecordingRunner(), {
        plugin: { ...plugin, endpoints: { reference: bare } },
        endpoint,
        provision,
      })
    expect(register).toThrow('reference has no example of an input to tell its capabilities by')
  })
})
