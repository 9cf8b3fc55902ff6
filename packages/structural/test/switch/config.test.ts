import { noCapabilities } from '@mqb/core'
import { ConfigError, createRegistry, planEndpoint } from '@mqb/core/config'
import { createReferenceConnector } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import structural from '../../src/index.ts'
import { switchCapabilities } from '../../src/switch/capabilities.ts'
import { sink } from './world.ts'

const registry = createRegistry({ plugins: [structural, createReferenceConnector().plugin] })
const plan = (config: unknown) => planEndpoint({ switch: config }, 'output', registry)

function problemsOf(config: unknown) {
  try {
    plan(config)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

const to = { reference: { channel: 'a' } }

describe('the configuration of a switch', () => {
  it.each([
    [
      'both modes',
      { metadata_key: 'kind', cases: { a: to }, when: [{ if: 'true', to }] },
      /exclude each other/,
    ],
    ['neither mode', {}, /needs something to decide by/],
    ['only a default', { default: to }, /needs something to decide by/],
    ['cases without a key', { cases: { a: to } }, /cases need a metadata_key/],
    ['a key without cases', { metadata_key: 'kind' }, /metadata_key needs cases/],
    ['no case', { metadata_key: 'kind', cases: {} }, /metadata_key needs cases/],
    ['an empty when', { when: [] }, /when has no case/],
  ])('is refused with %s', (_, config, what) => {
    const problems = problemsOf(config)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ where: 'output.switch', what: expect.stringMatching(what) })
    expect(problems[0]?.mend).not.toBe('')
  })

  it('reports every mistake of every expression at its place', () => {
    const when = [
      { if: 'amount >', to },
      { if: 'items[0].qty > 1', to },
      { if: 'lenght(name) > 1', to },
      { if: '', to },
    ]
    expect(problemsOf({ when }).map(({ where, code, what }) => `${where} ${code} ${what}`)).toEqual([
      expect.stringMatching(/^output\.switch\.when\[0\]\.if MQB_EXPRESSION_INVALID line 1, column \d+/),
      expect.stringMatching(/^output\.switch\.when\[1\]\.if .*line 1, column 7.*indexed payload path/),
      expect.stringMatching(/^output\.switch\.when\[2\]\.if .*no function "lenght"/),
      expect.stringMatching(/^output\.switch\.when\[3\]\.if .*empty/),
    ])
  })

  it('reports what is wrong in a destination where it stands', () => {
    expect(
      problemsOf({
        metadata_key: 'kind',
        cases: { a: { nowhere: {} } },
        default: { reference: 1, x: 2 },
      }).map(problem => problem.where),
    ).toEqual([
      expect.stringMatching(/^output\.switch\.cases\.a/),
      expect.stringMatching(/^output\.switch\.default/),
    ])
  })

  it('takes any text as a value, and null as the endpoint that discards', () => {
    const cases = Object.fromEntries(['a b', 'x.y', 'constructor', '', '"'].map(value => [value, to]))
    expect(plan({ metadata_key: 'kind', cases, default: null }).children).toHaveLength(6)
  })

  it('loses no case silently that is named like a property of all objects', () => {
    const cases = JSON.parse('{"__proto__":{"reference":{"channel":"a"}},"b":{"reference":{"channel":"b"}}}')
    expect(problemsOf({ metadata_key: 'kind', cases })).toMatchObject([
      {
        where: 'output.switch.cases.__proto__',
        what: 'the key "__proto__" cannot be used in a configuration',
      },
    ])
  })

  it('nests to the depth that all endpoints do, and no deeper', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? to : { switch: { when: [{ if: 'true', to: nested(depth - 1) }] } }
    expect(problemsOf((nested(16) as { switch: unknown }).switch)).toEqual([])
    expect(problemsOf((nested(18) as { switch: unknown }).switch)[0]).toMatchObject({
      code: 'MQB_CONFIG_NESTING',
    })
  })
})

describe('what a switch promises', () => {
  const base = { ...noCapabilities, acks: true }
  const promised = (...branches: readonly object[]) =>
    switchCapabilities({
      when: branches.map(each => ({ if: 'true', to: sink([], { ...base, ...each }).plan })),
      default: sink([], { ...base, ...branches[0] }).plan,
    })

  it('is what holds whichever way a message takes', () => {
    expect(promised({}, {})).toEqual(base)
    expect(promised({}, { acks: false }).acks).toBe(false)
    expect(promised({ replies: 'yes' }, { replies: 'yes' }).replies).toBe('yes')
    expect(promised({ replies: 'yes' }, { replies: 'no' }).replies).toBe('depends')
    expect(promised({ replies: 'no' }, { replies: 'depends' }).replies).toBe('depends')
    expect(promised({ orderedPublish: 'no' }, { orderedPublish: 'serial' }).orderedPublish).toBe('pipelined')
    expect(promised({ idempotent: 'by_id' }, { idempotent: 'by_id' }).idempotent).toBe('by_id')
    expect(promised({ idempotent: 'by_id' }, { idempotent: 'by_position' }).idempotent).toBe('no')
    expect(promised({}, { needsPosition: true }).needsPosition).toBe(true)
    expect(promised({ maxPayloadBytes: 10 }, { maxPayloadBytes: null }).maxPayloadBytes).toBe(10)
    expect(promised({ lacks: ['metadata'] }, { lacks: ['metadata', 'null'] }).lacks).toEqual([
      'metadata',
      'null',
    ])
    expect(promised({}, { tls: true }).tls).toBe(true)
    expect(promised({}, {}).keepsAll).toBe(true)
    expect(promised({}, { keepsAll: false }).keepsAll).toBe(false)
  })

  it('is less without a default: what nothing takes is gone, and unanswered', () => {
    const to = sink([], { ...base, replies: 'yes' }).plan
    const without = switchCapabilities({ metadata_key: 'kind', cases: { a: to } })
    expect(without).toMatchObject({ keepsAll: false, replies: 'depends', acks: true })
  })
})
