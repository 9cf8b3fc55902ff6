import { appendFileSync, cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ensureBuilt } from '../apps/cli/test/support/build.ts'
import { mqb, type Running, startMqb } from '../apps/cli/test/support/cli.ts'
import { type Scratch, scratch } from '../apps/cli/test/support/scratch.ts'

const here = import.meta.dirname

/** A copy of an example in which files may be written. */
function example(name: string): Scratch {
  const at = scratch()
  cpSync(join(here, name), at.folder, { recursive: true })
  return at
}

async function bridge(
  at: Scratch,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Running> {
  return startMqb(['-c', 'bridge.yaml', '--no-metrics', ...args], { cwd: at.folder, env })
}

async function stop(running: Running): Promise<void> {
  running.kill('SIGTERM')
  const { code, stderr } = await running.done
  expect(stderr).not.toMatch(/ERROR/)
  expect(code).toBe(0)
}

const haveLines = (at: Scratch, name: string, count: number) => () => at.lines(name).length === count

beforeAll(ensureBuilt, 300_000)

describe('every example', () => {
  const folders = readdirSync(here, { withFileTypes: true }).filter(entry => entry.isDirectory())
  for (const { name } of folders)
    it(`${name} is valid`, async () => {
      const at = example(name)
      for (const file of readdirSync(at.folder).filter(file => file.endsWith('.yaml'))) {
        const { code, stderr } = await mqb(['-c', file, 'validate'], { cwd: at.folder })
        expect(stderr).toBe('')
        expect(code).toBe(0)
      }
    })
})

describe('csv-to-jsonl', () => {
  it('turns rows into JSON lines', async () => {
    const at = example('csv-to-jsonl')
    const running = await bridge(at)
    await running.until(haveLines(at, 'out/orders.jsonl', 3), 'three rows had arrived')
    await stop(running)
    expect(at.json('out/orders.jsonl')).toEqual([
      { order_id: '1', customer: 'Müller; Söhne', amount: '12.50' },
      { order_id: '2', customer: 'Dupont', amount: '3.00' },
      { order_id: '3', customer: 'The "Corner" Shop', amount: '7.25' },
    ])
  })
})

describe('tail-a-log', () => {
  it('goes on where it was', async () => {
    const at = example('tail-a-log')
    const first = await bridge(at)
    await first.until(haveLines(at, 'archive.log', 2), 'two lines had arrived')
    await stop(first)
    appendFileSync(at.path('app.log'), 'third line\n')
    const second = await bridge(at)
    await second.until(haveLines(at, 'archive.log', 3), 'three lines had arrived')
    appendFileSync(at.path('app.log'), 'fourth line\n')
    await second.until(haveLines(at, 'archive.log', 4), 'four lines had arrived')
    await stop(second)
    expect(at.read('archive.log')).toBe(at.read('app.log'))
  })
})

describe('dead-letters', () => {
  it('keeps what does not fit, and sends it again', async () => {
    const at = example('dead-letters')
    const running = await bridge(at)
    await running.saying(/MQB_ROUTES_ENDED/)
    await stop(running)
    expect(at.lines('orders.csv')).toEqual(['order_id,customer,amount', '1,Müller,12.5', '3,Smith,7.25'])
    expect(at.json('dead-letters.jsonl')).toMatchObject([
      {
        payload: { order_id: 2, customer: 'Dupont' },
        metadata: {
          'mqb.dlq.route': 'orders',
          'mqb.dlq.kind': 'permanent',
          'mqb.dlq.reason': expect.any(String),
        },
      },
    ])
    const replay = await startMqb(['-c', 'replay.yaml', '--no-metrics'], { cwd: at.folder })
    await replay.saying(/MQB_ROUTES_ENDED/)
    await stop(replay)
    expect(at.lines('orders.csv').at(-1)).toBe('2,Dupont,')
  })
})

describe('fan-in', () => {
  it('brings two files together', async () => {
    const at = example('fan-in')
    const running = await bridge(at)
    await running.until(haveLines(at, 'together.jsonl', 5), 'five rows had arrived')
    await stop(running)
    expect(at.lines('together.jsonl').toSorted()).toEqual(
      [...at.lines('north.jsonl'), ...at.lines('south.jsonl')].toSorted(),
    )
  })
})

describe('env-overrides', () => {
  it('takes values from the environment', async () => {
    const at = example('env-overrides')
    at.write('elsewhere/orders.jsonl', '{"id":7}\n')
    const running = await bridge(at, [], {
      DATA: 'elsewhere',
      MQB__ORDERS__OUTPUT__FILE__PATH: 'renamed.jsonl',
    })
    await running.until(haveLines(at, 'renamed.jsonl', 1), 'one row had arrived')
    await stop(running)
    expect(at.read('renamed.jsonl')).toBe('{"id":7}\n')
  })

  it('has defaults for what is not set', async () => {
    const at = example('env-overrides')
    const running = await bridge(at)
    await running.until(haveLines(at, 'orders-out.jsonl', 2), 'two rows had arrived')
    await stop(running)
  })
})

describe('in a program', () => {
  const { chdir, cwd } = process
  const started = cwd()
  afterEach(() => chdir(started))

  it('embedding sends on what its handler returns', async () => {
    const at = example('embedding')
    chdir(at.folder)
    const said = vi.spyOn(console, 'log').mockImplementation(() => {})
    await import('./embedding/bridge.ts')
    expect(said).toHaveBeenCalledWith('2 of 3 orders are large')
    expect(at.json('large.jsonl')).toEqual([
      { id: '1', amount: '250.00' },
      { id: '3', amount: '100.00' },
    ])
  })

  it('embedding is what the README shows', () => {
    const code = readFileSync(join(here, 'embedding', 'bridge.ts'), 'utf8').replace(/^\/\/.*\n/, '')
    expect(readFileSync(join(here, '..', 'README.md'), 'utf8')).toContain(code)
  })

  it('own-code brings an endpoint and a middleware of its own', async () => {
    const at = example('own-code')
    chdir(at.folder)
    await import('./own-code/bridge.ts')
    expect(at.json('launch.jsonl')).toEqual([3, 2, 1].map(number => ({ number, label: 'T minus' })))
  })
})
