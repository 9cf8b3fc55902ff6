import { Message } from '@mqb/core'
import { checkConfig, createRegistry, loadConfig, parseUri } from '@mqb/core/config'
import { createBridge } from '@mqb/core/runtime'
import { createReferenceConnector } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import id from '../src/index.ts'

const at = 'orders.input.middlewares[0].id'

async function problems(middlewares: string, side: 'input' | 'output' = 'input') {
  const { plugin } = createReferenceConnector()
  const text = `
routes:
  orders:
    input: { reference: { channel: a }${side === 'input' ? `, middlewares: ${middlewares}` : ''} }
    output: { reference: { channel: b }${side === 'output' ? `, middlewares: ${middlewares}` : ''} }
`
  return checkConfig(
    loadConfig({ registry: createRegistry({ plugins: [id, plugin] }), text, env: { REGION: 'eu' } }),
  )
}

describe('id in a configuration', () => {
  it('is a bare template', async () => {
    expect(await problems('[{ id: "${payload:order_id}" }]')).toEqual([])
    const { plugin } = createReferenceConnector()
    expect(
      parseUri('reference:?channel=a|id?value=${payload:order_id}', {
        side: 'input',
        registry: createRegistry({ plugins: [id, plugin] }),
        env: {},
      }),
    ).toMatchObject({ middlewares: [{ id: '${payload:order_id}' }] })
  })

  it('is refused when it is malformed', async () => {
    expect(await problems('[{ id: "${payload:order_id" }]')).toMatchObject([
      { where: at, code: 'MQB_TEMPLATE_INVALID', severity: 'error', mend: 'add the closing }' },
    ])
    expect(await problems('[{ id: "${payload:a[}" }]')).toMatchObject([
      { where: at, code: 'MQB_TEMPLATE_INVALID' },
    ])
  })

  it('is refused when it says the same about every message', async () => {
    for (const constant of ['order', '', '${env:REGION}', '$${payload:a}'])
      expect(await problems(`[{ id: '${constant}' }]`), constant).toMatchObject([
        {
          where: at,
          severity: 'error',
          mend: 'name what tells messages apart, for example: "${payload:order_id}"',
        },
      ])
  })

  it('is refused on an output', async () => {
    expect(await problems('[{ id: "${payload:order_id}" }]', 'output')).toMatchObject([{ severity: 'error' }])
  })
})

describe('a route with id', () => {
  it('hands the identity on, and to what is listed before it', async () => {
    const { plugin, channel } = createReferenceConnector()
    const bridge = createBridge({ plugins: [id, plugin] })
    const route = bridge
      .route('orders', {
        input: {
          reference: { channel: 'in' },
          middlewares: [{ id: 'again-${metadata:mqb.id}' }, { id: '${payload:order_id}' }],
        },
        output: { reference: { channel: 'out' } },
      })
      .withOptions({ drain: true })
    channel('in').store(new Message('{"order_id":"A1"}'))
    channel('in').store(new Message('{"other":"A2"}'))
    await route.start()
    const { outcome, counts } = await route.join()
    expect(outcome).toBe('completed')
    expect(counts).toMatchObject({ in: 2, delivered: 2 })
    expect(channel('out').stored.map(({ message }) => message.getMetadata('mqb.id'))).toEqual([
      'again-A1',
      undefined,
    ])
    expect(route.status().counters).toMatchObject({
      [at]: { without_id: 1 },
      'orders.input.middlewares[1].id': { without_id: 1 },
    })
  })
})
