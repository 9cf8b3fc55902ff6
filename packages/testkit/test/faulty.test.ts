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
    ...connector.suite(fault.config),
    limits: { quietMs: 10, drainIdleMs: 10, patienceMs: 1_000, closeMs: 150 },
  })
  return runner.run(wanted)
}

const failed = new Map<FaultyConnector, string[]>()

beforeAll(async () => {
  const waiting = [...faultyConnectors]
  const side = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift())
      remember(fault, await run(fault, name => !alone(name)))
  }
  // Mostly they wait for silence, so that many fit beside one another.
  await Promise.all(Array.from({ length: 16 }, side))
  for (const fault of faultyConnectors) remember(fault, await run(fault, alone))
}, 120_000)

function remember(fault: FaultyConnector, tests: readonly RecordedTest[]): void {
  const names = tests.filter(test => test.state === 'failed').map(test => test.name)
  failed.set(fault, [...(failed.get(fault) ?? []), ...names])
}

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
