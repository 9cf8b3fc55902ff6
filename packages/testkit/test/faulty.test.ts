import { beforeAll, describe, expect, it } from 'vitest'
import { connectorTests } from '../src/connector/suite.ts'
import { type FaultyConnector, faultyConnectors } from '../src/faulty/index.ts'
import { createRecordingRunner, type RecordedTest, testConnector } from '../src/index.ts'

// These two look at what the whole process holds open, so nothing else may run beside them.
const alone = (name: string): boolean => name.endsWith('leaves nothing open')

function run(fault: FaultyConnector, wanted: (name: string) => boolean): Promise<readonly RecordedTest[]> {
  const connector = fault.create()
  const runner = createRecordingRunner()
  testConnector(runner, {
    plugin: connector.plugin,
    endpoint: 'reference',
    provision: () => connector.provision(fault.config),
    limits: { quietMs: 10, drainIdleMs: 10, patienceMs: 800, closeMs: 150 },
  })
  return runner.run(wanted)
}

const failed = new Map<FaultyConnector, string[]>()

beforeAll(async () => {
  const results = await Promise.all(faultyConnectors.map(fault => run(fault, name => !alone(name))))
  for (const [index, fault] of faultyConnectors.entries()) {
    const tests = [...results[index]!, ...(await run(fault, alone))]
    failed.set(
      fault,
      tests.filter(test => test.state === 'failed').map(test => test.name),
    )
  }
}, 120_000)

describe('faulty connectors', () => {
  it.each(faultyConnectors.map(fault => [fault.name, fault] as const))('the suite catches %s', (_, fault) => {
    expect(failed.get(fault)!.sort()).toEqual([...fault.breaks, ...fault.alsoBreaks].sort())
  })

  it('have names of their own', () => {
    const names = faultyConnectors.map(fault => fault.name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the connector suite', () => {
  it('has a fault for every test, and no fault for a test that does not exist', () => {
    const meant = new Set(faultyConnectors.flatMap(fault => fault.breaks))
    const tests = connectorTests.map(test => test.name)
    expect([...meant].sort()).toEqual([...tests].sort())
  })
})
