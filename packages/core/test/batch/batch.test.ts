import { describe, expect, it } from 'vitest'
import {
  ALL_ACKED,
  ack,
  type Batch,
  collapse,
  createBackgroundCommits,
  expand,
  failure,
  keepSubset,
  Message,
  MqbError,
  mergeBatches,
  type Outcome,
  type Outcomes,
  outcomeList,
  replaceOneToOne,
  reply,
  splitBatch,
  worstOutcome,
} from '../../src/index.ts'

interface TestBatch extends Batch {
  readonly commits: Outcomes[]
}

function batchOf(...texts: string[]): TestBatch {
  const commits: Outcomes[] = []
  return {
    messages: texts.map(text => new Message(text)),
    commits,
    commit: async outcomes => {
      commits.push(outcomes)
    },
  }
}

const texts = (batch: Batch): string[] => batch.messages.map(message => message.text())
const error = (kind: 'connection' | 'retryable' | 'permanent') =>
  new MqbError({ kind, code: 'MQB_TEST', what: kind })

describe('keeping a subset', () => {
  it('puts outcomes back to their positions and says the rest was filtered', async () => {
    const source = batchOf('a', 'b', 'c', 'd')
    const kept = keepSubset(source, [1, 3], ack('filtered'))
    expect(texts(kept)).toEqual(['b', 'd'])
    const failed = failure(error('retryable'))
    await kept.commit([ack(), failed])
    expect(source.commits).toEqual([[ack('filtered'), ack(), ack('filtered'), failed]])
  })

  it('says of each other message what a function says of its position', async () => {
    const source = batchOf('a', 'b', 'c')
    const rest = (position: number) => ack(position === 0 ? 'duplicate' : 'dropped')
    await keepSubset(source, [1], rest).commit(ALL_ACKED)
    expect(source.commits).toEqual([[ack('duplicate'), ack(), ack('dropped')]])
  })

  it('is the batch itself when everything is kept', () => {
    const source = batchOf('a', 'b')
    expect(keepSubset(source, [0, 1], ack('filtered'))).toBe(source)
  })

  it('refuses a wrong number of outcomes', async () => {
    await expect(keepSubset(batchOf('a', 'b'), [0], ack('filtered')).commit([])).rejects.toThrow(TypeError)
  })
})

describe('replacing one to one', () => {
  it('hands outcomes on as they are and refuses another length', async () => {
    const source = batchOf('a')
    await replaceOneToOne(source, [new Message('x')]).commit(ALL_ACKED)
    expect(source.commits).toEqual([ALL_ACKED])
    expect(() => replaceOneToOne(source, [])).toThrow(TypeError)
  })
})

describe('collapsing many to one', () => {
  it('tells every source message what became of the joined one', async () => {
    const source = batchOf('a', 'b')
    const failed = failure(error('retryable'), new Message('joined'))
    await collapse(source, new Message('ab'), () => {}).commit([failed])
    expect(source.commits).toEqual([
      [failure(failed.kind === 'failure' ? failed.error : error('retryable')), failure(error('retryable'))],
    ])
  })

  it('turns a reply into an ack and says so', async () => {
    const source = batchOf('a', 'b')
    let lost = 0
    await collapse(source, new Message('ab'), () => lost++).commit([reply(new Message('r'))])
    expect([source.commits, lost]).toEqual([[ALL_ACKED], 1])
  })
})

describe('expanding one to many', () => {
  it('counts the worst outcome of the parts', async () => {
    const source = batchOf('a', 'b', 'c')
    const parts = ['a1', 'a2', 'b1', 'b2'].map(text => new Message(text))
    const answer = reply(new Message('r'))
    await expand(source, parts, [0, 0, 1, 1], ack('dropped')).commit([
      ack(),
      failure(error('permanent')),
      answer,
      ack(),
    ])
    expect(outcomeList(source.commits[0] as Outcomes, 3)).toEqual([
      failure(error('permanent')),
      answer,
      ack('dropped'),
    ])
  })

  it('tells the source nothing of the part that failed: it knows the whole message only', async () => {
    const source = batchOf('a')
    const failed = failure(error('retryable'), new Message('a2'))
    await expand(source, [new Message('a1'), new Message('a2')], [0, 0]).commit([ack(), failed])
    expect(source.commits).toEqual([[failure(error('retryable'))]])
    expect((source.commits[0] as readonly Outcome[])[0]).not.toHaveProperty('message')
  })

  it('ranks connection, retryable, permanent, reply, ack', () => {
    const ranked = [
      failure(error('connection')),
      failure(error('retryable')),
      failure(error('permanent')),
      reply(new Message('r')),
      ack(),
    ]
    for (let from = 0; from < ranked.length; from++)
      expect(worstOutcome(ranked.slice(from).reverse())).toBe(ranked[from])
  })
})

describe('merging source batches', () => {
  it('commits each of them once, with its own outcomes', async () => {
    const [one, two] = [batchOf('a', 'b'), batchOf('c')]
    const merged = mergeBatches([one, batchOf(), two])
    expect(texts(merged)).toEqual(['a', 'b', 'c'])
    const failed = failure(error('retryable'))
    await merged.commit([ack(), failed, ack('filtered')])
    expect([one.commits, two.commits]).toEqual([[[ack(), failed]], [[ack('filtered')]]])
  })

  it('rejects with the first failure after all have ended', async () => {
    const broken: Batch = {
      messages: [new Message('x')],
      commit: async () => Promise.reject(error('connection')),
    }
    let end = (): void => {}
    const slow: Batch = {
      messages: [new Message('y')],
      commit: () => new Promise(resolve => (end = resolve)),
    }
    let rejected: unknown
    const committing = mergeBatches([broken, slow])
      .commit(ALL_ACKED)
      .catch((reason: unknown) => (rejected = reason))
    await new Promise(setImmediate)
    expect(rejected).toBeUndefined()
    end()
    await committing
    expect(rejected).toMatchObject({ kind: 'connection' })
  })
})

describe('handing out in parts', () => {
  it('commits the source batch once, when the last part is', async () => {
    const source = batchOf('a', 'b', 'c')
    const parts = splitBatch(source)
    const [one, two] = [parts.next(2), parts.next(2)]
    expect([texts(one), texts(two), parts.remaining]).toEqual([['a', 'b'], ['c'], 0])
    await two.commit([ack('filtered')])
    expect(source.commits).toEqual([])
    await one.commit(ALL_ACKED)
    expect(source.commits).toEqual([[ack(), ack(), ack('filtered')]])
  })

  it('keeps ALL_ACKED as it is, and is the batch itself when it fits', async () => {
    const source = batchOf('a', 'b')
    expect(splitBatch(source).next(5)).toBe(source)
    const parts = splitBatch(source)
    await Promise.all([parts.next(1).commit(ALL_ACKED), parts.next(1).commit(ALL_ACKED)])
    expect(source.commits).toEqual([ALL_ACKED])
  })
})

describe('commits in the background', () => {
  it('surface a failure once, at the next look', async () => {
    const commits = createBackgroundCommits()
    commits.start({ messages: [], commit: async () => Promise.reject(error('connection')) }, ALL_ACKED)
    await commits.idle()
    expect(() => commits.throwIfFailed()).toThrow(/MQB_TEST/)
    expect(() => commits.throwIfFailed()).not.toThrow()
  })

  it('surface the first of several failures', async () => {
    const commits = createBackgroundCommits()
    for (const kind of ['permanent', 'connection'] as const)
      commits.start({ messages: [], commit: async () => Promise.reject(error(kind)) }, ALL_ACKED)
    await commits.idle()
    expect(() => commits.throwIfFailed()).toThrow(error('permanent'))
  })
})
