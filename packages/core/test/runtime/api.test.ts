import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Message } from '@mqb/core'
import {
  Consumer,
  configSchema,
  createBridge,
  defaultBridge,
  deploy,
  deployFile,
  getPublisher,
  getRoute,
  type HostLogRecord,
  initLogging,
  isShutdownRequested,
  listRoutes,
  Publisher,
  Route,
  registerEndpoint,
  registerEndpointConfig,
  registerMiddleware,
  registerPlugin,
  requestShutdown,
  routeStatus,
  stopRoute,
  unregisterEndpoint,
  unregisterEndpointConfig,
  unregisterMiddleware,
  unregisterPublisher,
  version,
} from '@mqb/core/runtime'
import { afterAll, describe, expect, it } from 'vitest'
import { until } from './support/clock.ts'
import { testPlugin } from './support/plugin.ts'
import { texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

// All of these share the one default bridge of the process, as they do in a program.
const records: HostLogRecord[] = []
initLogging(record => records.push(record), 'info')
const sources: Record<string, TestSource> = {}
const sinks: Record<string, TestSink> = {}
registerPlugin(testPlugin(sources, sinks))

const folder = mkdtempSync(join(tmpdir(), 'mqb-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const twoRoutes = `
routes:
  one: { input: { source: { name: one } }, output: { sink: { name: one } } }
  two: { input: { source: { name: two } }, output: { sink: { name: two } } }
publishers:
  - name: audit
    endpoint: { sink: { name: audit } }
`

describe('Route', () => {
  it('runs what a file, a text or an object says', async () => {
    const config = { input: { source: { name: 'a' } }, output: { sink: { name: 'a' } } }
    const made = [
      () =>
        Route.fromFile(file('one.yaml', 'input: { source: { name: a } }\noutput: { sink: { name: a } }\n')),
      () => Route.fromStr(JSON.stringify(config)),
      () => Route.fromConfig(config),
      () => new Route(config.input, config.output),
    ]
    for (const make of made) {
      sources.a = new TestSource(texts(3), { end: 'end' })
      sinks.a = new TestSink()
      const route = make()
        .withHandler(message => message.derive(`${message.text()}!`))
        .withBatchSize(2)
      await route.start()
      expect((await route.wait()).outcome).toBe('completed')
      expect(route.status().state).toBe('completed')
      expect(sinks.a.delivered).toEqual(['m0!', 'm1!', 'm2!'])
      expect(sinks.a.sends).toHaveLength(2)
      expect(listRoutes()).toContain(route.name)
    }
  })

  it('picks one route of a document by its name, and says which there are', () => {
    expect(Route.fromStr(twoRoutes, 'two').name).toBe('two')
    expect(() => Route.fromStr(twoRoutes, 'tow')).toThrow(
      expect.objectContaining({ code: 'MQB_DOCUMENT_NAME', mend: expect.stringContaining('one, two') }),
    )
    expect(() => Route.fromStr(twoRoutes)).toThrow(expect.objectContaining({ code: 'MQB_DOCUMENT_NAME' }))
  })

  it('reports every problem of a document at once', () => {
    expect(() => Route.fromStr('input: { source: { nam: a } }\noutput: { sunk: {} }\n')).toThrow(
      expect.objectContaining({
        kind: 'config',
        problems: [
          expect.objectContaining({ code: 'MQB_CONFIG_UNKNOWN_KEY', line: 1, column: 20 }),
          expect.objectContaining({ code: 'MQB_CONFIG_UNKNOWN_ENDPOINT', line: 2, column: 11 }),
        ],
      }),
    )
    expect(() => Route.fromFile(join(folder, 'none.yaml'))).toThrow(
      expect.objectContaining({ code: 'MQB_CONFIG_FILE' }),
    )
  })

  it('has its name for itself while it runs', async () => {
    sources.one = new TestSource([], { end: 'wait' })
    sinks.one = new TestSink()
    const first = Route.fromStr(twoRoutes, 'one')
    const second = Route.fromStr(twoRoutes, 'one')
    await first.start()
    await expect(second.start()).rejects.toMatchObject({ code: 'MQB_ROUTE_NAME_TAKEN' })
    await first.stop()
    await second.start()
    expect(getRoute('one')?.isRunning).toBe(true)
    expect(routeStatus('one')?.state).toBe('running')
    expect(await stopRoute('one')).toBe(true)
    expect(routeStatus('one')).toBe(undefined)
  })

  it('runs copies that are not known by name', async () => {
    sources.a = new TestSource(texts(2), { end: 'wait' })
    sinks.a = new TestSink()
    const handle = await new Route({ source: { name: 'a' } }, { sink: { name: 'a' } }).run('hidden')
    await until(() => sinks.a?.delivered.length === 2)
    expect(getRoute('hidden')).toBe(undefined)
    expect(handle.outcome()).toBe(undefined)
    await handle.stop()
    expect((await handle.join()).outcome).toBe('stopped')
    expect(handle.outcome()).toBe('stopped')
  })

  it('can be looked at without connecting', async () => {
    expect(await new Route({ source: { name: 'a' } }, { sink: { name: 'a' } }).check()).toEqual([])
  })
})

describe('deploy', () => {
  it('starts all routes of a file, replacing those of the same name', async () => {
    for (const name of ['one', 'two']) {
      sources[name] = new TestSource([], { end: 'wait' })
      sinks[name] = new TestSink()
    }
    expect(await deployFile(file('two.yaml', twoRoutes))).toEqual(['one', 'two'])
    const before = getRoute('one')
    expect(await deploy(twoRoutes)).toEqual(['one', 'two'])
    expect(before?.isRunning).toBe(false)
    expect(getRoute('one')?.isRunning).toBe(true)
    expect(sources.one?.open).toBe(1)
    await Promise.all(['one', 'two'].map(name => stopRoute(name)))
  })
})

describe('Publisher and Consumer', () => {
  it('are made of bare endpoints, publishers and the ends of routes', async () => {
    sinks.audit = new TestSink()
    sinks.one = new TestSink()
    sources.one = new TestSource(texts(2))
    await using audit = Publisher.fromStr(twoRoutes, 'audit')
    await using bare = Publisher.fromConfig({ sink: { name: 'audit' } })
    await using end = Publisher.fromFile(file('p.yaml', twoRoutes), 'one')
    await audit.send(new Message('1'))
    await bare.sendJson({ two: 2 })
    await end.sendBatch([new Message('3')])
    expect(sinks.audit.delivered).toEqual(['1', '{"two":2}'])
    expect(sinks.one.delivered).toEqual(['3'])
    for (const consumer of [
      Consumer.fromStr('source: { name: one }'),
      Consumer.fromConfig({ source: { name: 'one' } }),
      Consumer.fromFile(file('c.yaml', twoRoutes), 'one'),
    ]) {
      expect(await consumer.poll()).toHaveLength(2)
      await consumer.close()
    }
  })

  it('a publisher can be registered for ref, and stays open', async () => {
    sinks.audit = new TestSink()
    sources.a = new TestSource(texts(2), { end: 'end' })
    const publisher = Publisher.fromConfig({ sink: { name: 'audit' } })
    await publisher.register('shared')
    expect(getPublisher('shared')).toBe(publisher)
    const route = new Route({ source: { name: 'a' } }, { ref: 'shared' })
    await route.start()
    await route.join()
    expect(sinks.audit.delivered).toEqual(texts(2))
    expect(sinks.audit.open).toBe(1)
    expect(unregisterPublisher('shared')).toBe(true)
    expect(getPublisher('shared')).toBe(undefined)
    await publisher.close()
    expect(sinks.audit.open).toBe(0)
  })
})

describe('names registered in code', () => {
  it('serve as endpoints, middlewares and configurations, until they are taken back', async () => {
    const sent: string[] = []
    registerEndpoint('collector', () => ({
      sendBatch: messages => {
        sent.push(...messages.map(message => message.text()))
      },
    }))
    registerMiddleware('shout', () => ({
      onSend: messages => messages.map(message => message.derive(message.text().toUpperCase())),
    }))
    registerEndpointConfig('loud', { middlewares: [{ shout: {} }], collector: {} })
    expect(() => registerEndpoint('collector', () => ({}))).toThrow(
      expect.objectContaining({ code: 'MQB_NAME_TAKEN' }),
    )
    sources.a = new TestSource(['hello'], { end: 'end' })
    const route = new Route({ source: { name: 'a' } }, { ref: 'loud' })
    await route.start()
    await route.join()
    expect(sent).toEqual(['HELLO'])
    expect(JSON.stringify(configSchema())).toContain('collector')
    expect([unregisterEndpoint('collector'), unregisterMiddleware('shout')]).toEqual([true, true])
    expect(unregisterEndpointConfig('loud')).toBe(true)
    expect(unregisterEndpoint('collector')).toBe(false)
    expect(() => new Route({ source: { name: 'a' } }, { collector: {} })).toThrow()
  })
})

describe('the process', () => {
  it('hands its log to the host, once', () => {
    expect(records.some(({ message }) => message.includes('at-least-once'))).toBe(true)
    expect(records.every(({ level }) => ['error', 'warn', 'info'].includes(level))).toBe(true)
    expect(() => initLogging(() => {})).toThrow(TypeError)
  })

  it('knows its version', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+/)
  })

  it('keeps other bridges apart', () => {
    expect(createBridge().registry).not.toBe(defaultBridge().registry)
  })

  it('stops everything at a shutdown, for good', async () => {
    sources.a = new TestSource([], { end: 'wait' })
    sinks.a = new TestSink()
    const route = new Route({ source: { name: 'a' } }, { sink: { name: 'a' } })
    await route.start()
    expect(isShutdownRequested()).toBe(false)
    expect([requestShutdown(), requestShutdown()]).toEqual([true, false])
    expect((await route.join()).outcome).toBe('stopped')
    expect(isShutdownRequested()).toBe(true)
    const later = new Route({ source: { name: 'a' } }, { sink: { name: 'a' } })
    await later.start()
    expect((await later.join()).outcome).toBe('stopped')
  })
})
