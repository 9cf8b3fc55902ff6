import {
  ALL_ACKED,
  ack,
  type Batch,
  type Consumer,
  EndOfStream,
  failure,
  Gap,
  Message,
  MqbError,
  type Outcome,
} from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { bench, never, ten } from './support/chains.ts'
import { settle, testClock } from './support/clock.ts'
import { inputPlan } from './support/plans.ts'
import { texts } from './support/run.ts'
import { TestSource } from './support/source.ts'

const retryable = new MqbError({ kind: 'retryable', code: 'MQB_TEST_BUSY', what: 'busy' })
const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })
const lost = new MqbError({ kind: 'connection', code: 'MQB_TEST_LOST', what: 'lost' })
const two = { messages: 2, bytes: 1_000_000 }
const nack = failure(retryable)
const done = ack()

function ordered(source: TestSource) {
  return inputPlan({ open: source.consumer, capabilities: { commitOrder: 'ordered' } })
}

function textsOf(batch: Batch): string[] {
  return batch.messages.map(message => message.text())
}

/** A consumer whose `receive` answers what the script says, in turn. */
function scripted(...script: (() => unknown)[]): Consumer {
  return {
    receive: () => (script.shift() ?? (() => new Promise(() => {})))() as Promise<Batch>,
    pin: async () => {},
    status: () => ({ healthy: true, target: 'scripted' }),
    close: async () => {},
  }
}

describe('commits of an ordered input', () => {
  it('are applied in the order of the receives, one at a time', async () => {
    const source = new TestSource(texts(6), { ordered: true })
    const { consumer } = bench(testClock())
    const shell = await consumer(ordered(source))
    const [first, second, third] = [
      await shell.receive(two, never),
      await shell.receive(two, never),
      await shell.receive(two, never),
    ]
    const thirdDone = third.commit(ALL_ACKED)
    const secondDone = second.commit(ALL_ACKED)
    await settle()
    expect(source.commits).toEqual([])
    await first.commit(ALL_ACKED)
    await Promise.all([secondDone, thirdDone])
    expect(source.commits.map(commit => commit.texts)).toEqual([
      ['m0', 'm1'],
      ['m2', 'm3'],
      ['m4', 'm5'],
    ])
  })

  it('apply the leading run of a partial nack and begin again at the first unsettled message', async () => {
    const source = new TestSource(texts(8), { ordered: true })
    const { consumer, accounting, log } = bench(testClock())
    const shell = await consumer(ordered(source))
    const first = await shell.receive({ messages: 4, bytes: 1000 }, never)
    const second = await shell.receive(two, never)
    await first.commit([done, failure(permanent), nack, done])
    expect(source.position).toBe(2)
    await second.commit(ALL_ACKED)
    expect(source.position).toBe(2)
    expect(log.withCode('MQB_STALE_COMMIT')).toHaveLength(1)
    expect(accounting.snapshot()).toMatchObject({
      in: 6,
      delivered: 1,
      dropped: 1,
      returned: 4,
      inFlight: 0,
    })
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m2', 'm3', 'm4', 'm5', 'm6', 'm7'])
    expect(source.opened).toBe(2)
    expect(source.open).toBe(1)
  })

  it('take back the acks behind the first unsettled message before the leaf sees them', async () => {
    const source = new TestSource(texts(3), { ordered: true })
    const { consumer } = bench(testClock())
    const shell = await consumer(ordered(source))
    const batch = await shell.receive(ten, never)
    await batch.commit([done, nack, done])
    const seen = source.commits[0]?.outcomes as readonly Outcome[]
    expect(seen.map(outcome => outcome.kind)).toEqual(['ack', 'failure', 'failure'])
  })

  it('touch nothing at the leaf when the first message is not settled', async () => {
    const source = new TestSource(texts(3), { ordered: true })
    const { consumer } = bench(testClock())
    const shell = await consumer(ordered(source))
    const batch = await shell.receive(ten, never)
    await batch.commit([nack, done, done])
    expect(source.commits).toEqual([])
    expect(textsOf(await shell.receive(ten, never))).toEqual(texts(3))
  })

  it('resolve without effect for batches that are younger than a nack, also those that wait for their turn', async () => {
    const source = new TestSource(texts(6), { ordered: true })
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(ordered(source))
    const first = await shell.receive(two, never)
    const second = await shell.receive(two, never)
    const third = await shell.receive(two, never)
    const younger = third.commit(ALL_ACKED)
    await Promise.all([second.commit([nack, nack]), first.commit(ALL_ACKED), younger])
    expect(source.position).toBe(2)
    expect(accounting.snapshot()).toMatchObject({ in: 6, delivered: 2, returned: 4, inFlight: 0 })
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m2', 'm3', 'm4', 'm5'])
  })

  it('hand out nothing that would come again while a nack waits for older commits', async () => {
    const source = new TestSource(texts(6), { ordered: true })
    const { consumer } = bench(testClock())
    const shell = await consumer(ordered(source))
    const first = await shell.receive(two, never)
    const second = await shell.receive(two, never)
    const nacked = second.commit([nack, nack])
    const next = shell.receive(two, never)
    await settle()
    expect(source.handedOut).toEqual(['m0', 'm1', 'm2', 'm3'])
    await first.commit(ALL_ACKED)
    await nacked
    expect(textsOf(await next)).toEqual(['m2', 'm3'])
  })

  it('never move the position past an unsettled message, whatever comes in which order', async () => {
    const source = new TestSource(texts(400), { ordered: true })
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(ordered(source))
    let seed = 7
    const random = (): number => {
      seed = (seed * 16807) % 2147483647
      return seed / 2147483647
    }
    const failedOnce = new Set<string>()
    const settledTexts = new Set<string>()
    source.onCommit = () => {
      for (let at = 0; at < source.position; at++) expect(settledTexts.has(`m${at}`)).toBe(true)
    }
    while (source.position < 400) {
      const batches: Batch[] = []
      for (let at = 0; at < 8; at++) {
        const batch = await shell.receive({ messages: 1 + Math.floor(random() * 5), bytes: 1000 }, never)
        if (batch.messages.length > 0) batches.push(batch)
      }
      const commits = batches
        .map(batch => ({ batch, at: random() }))
        .sort((left, right) => left.at - right.at)
        .map(({ batch }) => {
          const outcomes = textsOf(batch).map(text => {
            if (random() < 0.05 && !failedOnce.has(text)) {
              failedOnce.add(text)
              return nack
            }
            settledTexts.add(text)
            return done
          })
          return batch.commit(outcomes)
        })
      await Promise.all(commits)
    }
    expect(accounting.imbalance).toBe(0)
    expect(accounting.inFlight).toBe(0)
    expect(failedOnce.size).toBeGreaterThan(5)
  })
})

describe('an ordered input that goes back by itself', () => {
  const rewinding = (source: TestSource) =>
    inputPlan({ open: source.consumer, capabilities: { commitOrder: 'ordered', rewinds: true } })

  it('is told of the nack and stays open', async () => {
    const source = new TestSource(texts(6), { ordered: true, rewinds: true })
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(rewinding(source))
    const first = await shell.receive(two, never)
    const second = await shell.receive(two, never)
    const third = await shell.receive(two, never)
    await first.commit(ALL_ACKED)
    await second.commit([nack, done])
    await third.commit(ALL_ACKED)
    expect(source.commits).toHaveLength(2)
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m2', 'm3', 'm4', 'm5'])
    expect(source.opened).toBe(1)
    expect(accounting.snapshot()).toMatchObject({ in: 10, delivered: 2, returned: 4, inFlight: 4 })
  })

  it('does not wait for younger messages while it is told', async () => {
    const source = new TestSource(texts(2), { ordered: true, rewinds: true, end: 'wait' })
    const { consumer } = bench(testClock())
    const shell = await consumer(rewinding(source))
    const first = await shell.receive(ten, never)
    const next = shell.receive(ten, never)
    await settle()
    await first.commit([done, nack])
    expect(textsOf(await next)).toEqual(['m1'])
    expect(source.position).toBe(1)
  })

  it('hands out what a receive brought meanwhile only behind the message that it goes back to', async () => {
    const source = new TestSource(texts(2), { ordered: true, rewinds: true })
    const late: (() => void)[] = []
    source.receiveFaults.push(
      () => {},
      () =>
        new Promise<void>(resolve => {
          late.push(resolve)
        }),
    )
    const { consumer } = bench(testClock())
    const shell = await consumer(rewinding(source))
    const first = await shell.receive(ten, never)
    const next = shell.receive(ten, never)
    await settle()
    const nacked = first.commit([nack, nack])
    source.add('m2')
    await settle()
    late[0]?.()
    await nacked
    expect(textsOf(await next)).toEqual(['m0', 'm1', 'm2'])
  })

  it('is not held up by a leaf that is lost while it is told', async () => {
    const source = new TestSource(texts(2), { ordered: true, rewinds: true, end: 'wait' })
    const { consumer } = bench(testClock())
    const hold: (() => void)[] = []
    source.receiveFaults.push(
      () => {},
      () =>
        new Promise<void>((_resolve, reject) => {
          hold.push(() => reject(lost))
        }),
    )
    const shell = await consumer(rewinding(source))
    const first = await shell.receive(ten, never)
    const next = shell.receive(ten, never)
    await settle()
    const nacked = first.commit([nack, nack])
    hold[0]?.()
    await nacked
    const batch = await next
    expect(textsOf(batch)).toEqual(['m0', 'm1'])
    await batch.commit(ALL_ACKED)
    expect(source.position).toBe(2)
  })
})

describe('commits of an unordered input', () => {
  it('go straight to the leaf with all outcomes', async () => {
    const source = new TestSource(texts(4))
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const first = await shell.receive(two, never)
    const second = await shell.receive(two, never)
    await second.commit([done, nack])
    await first.commit(ALL_ACKED)
    expect(source.settled).toEqual(['m2', 'm0', 'm1'])
    expect(accounting.snapshot()).toMatchObject({ in: 4, delivered: 3, returned: 1 })
  })

  it('count every reason of an ack on its own', async () => {
    const source = new TestSource(texts(9))
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batch = await shell.receive(ten, never)
    await batch.commit([
      ack('delivered'),
      ack('handled'),
      ack('filtered'),
      ack('duplicate'),
      ack('joined'),
      ack('dead_lettered'),
      ack('dropped'),
      { kind: 'reply', message: new Message('answer') },
      failure(permanent),
    ])
    expect(accounting.snapshot()).toEqual({
      in: 9,
      delivered: 2,
      handled: 1,
      filtered: 1,
      duplicates: 1,
      joined: 1,
      deadLettered: 1,
      dropped: 2,
      returned: 0,
      inFlight: 0,
    })
  })

  it('refuse a second commit and a wrong number of outcomes', async () => {
    const source = new TestSource(texts(4))
    const { consumer } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batch = await shell.receive(two, never)
    await expect(batch.commit([done])).rejects.toThrow(TypeError)
    await batch.commit(ALL_ACKED)
    await expect(batch.commit(ALL_ACKED)).rejects.toThrow(TypeError)
    expect(source.settled).toEqual(['m0', 'm1'])
  })

  it('reopen the input when the source is not sure, count as returned, and are not repeated', async () => {
    const source = new TestSource(texts(4))
    source.commitFaults.push(() => {
      throw new Error('the socket is gone')
    })
    const { consumer, accounting, troubles } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const first = await shell.receive(two, never)
    const second = await shell.receive(two, never)
    await expect(first.commit(ALL_ACKED)).rejects.toMatchObject({ kind: 'connection', where: 'r.input.test' })
    expect(troubles).toHaveLength(1)
    await second.commit(ALL_ACKED)
    expect(accounting.snapshot()).toMatchObject({ in: 4, delivered: 0, returned: 4, inFlight: 0 })
    expect(textsOf(await shell.receive(ten, never)).sort()).toEqual(texts(4))
    expect(source.opened).toBe(2)
  })

  it('end the route when a commit can never work', async () => {
    const source = new TestSource(texts(1))
    source.commitFaults.push(() => {
      throw permanent
    })
    const { consumer, endings } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batch = await shell.receive(ten, never)
    await expect(batch.commit(ALL_ACKED)).rejects.toMatchObject({ kind: 'permanent' })
    expect(endings).toHaveLength(1)
  })
})

describe('receive', () => {
  it('does not overlap', async () => {
    const source = new TestSource([], { end: 'wait' })
    const { consumer } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const waiting = shell.receive(ten, never)
    await expect(shell.receive(ten, never)).rejects.toThrow(TypeError)
    source.add('m0')
    expect(textsOf(await waiting)).toEqual(['m0'])
  })

  it('waits for the leaf to be opened', async () => {
    const clock = testClock()
    const source = new TestSource(texts(1))
    source.openFaults.push(
      () => {
        throw lost
      },
      () => {
        throw 'a text'
      },
    )
    const { consumer, troubles } = bench(clock, () => 0.5)
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batch = shell.receive(ten, never)
    await clock.advance(50)
    await clock.advance(100)
    expect(textsOf(await batch)).toEqual(['m0'])
    expect(troubles.map(error => error.kind)).toEqual(['connection', 'connection'])
  })

  it('loses nothing when its signal aborts, even if the leaf does not listen', async () => {
    let arrive = (_batch: Batch): void => {}
    const late = new Promise<Batch>(resolve => {
      arrive = resolve
    })
    const { consumer, accounting } = bench(testClock())
    const leaf = scripted(() => late)
    const shell = await consumer(inputPlan({ open: () => leaf }))
    const abort = new AbortController()
    const first = shell.receive(ten, abort.signal)
    await settle()
    abort.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    arrive({ messages: [new Message('m0')], commit: async () => {} })
    await settle()
    expect(accounting.inFlight).toBe(0)
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m0'])
    await expect(shell.receive(ten, AbortSignal.abort('gone'))).rejects.toBe('gone')
  })

  it('throws a lost connection once and then waits for the reopened leaf', async () => {
    const source = new TestSource(texts(2))
    source.receiveFaults.push(() => {
      throw lost
    })
    const { consumer, supervisor } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    await expect(shell.receive(ten, never)).rejects.toMatchObject({
      code: 'MQB_TEST_LOST',
      where: 'r.input.test',
    })
    expect(textsOf(await shell.receive(ten, never))).toEqual(texts(2))
    expect(supervisor.reconnects).toBe(1)
    expect(source.open).toBe(1)
  })

  it.each([
    ['an error', new Error('oops')],
    ['undefined', undefined],
    ['a text', 'oops'],
    ['null', null],
  ])(
    'takes %s that is thrown for a lost connection, with the thrown thing as its cause',
    async (_name, thrown) => {
      const { consumer } = bench(testClock())
      const leaf = scripted(() => {
        throw thrown
      })
      const shell = await consumer(inputPlan({ open: () => leaf }))
      const error = (await shell.receive(ten, never).catch((reason: unknown) => reason)) as MqbError
      expect(MqbError.is(error)).toBe(true)
      expect(error.kind).toBe('connection')
      expect(error.cause ?? undefined).toBe(thrown ?? undefined)
    },
  )

  it('hands on the end of the stream and may be called again', async () => {
    const source = new TestSource([], { end: 'end' })
    const { consumer } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    await expect(shell.receive(ten, never)).rejects.toSatisfy(EndOfStream.is)
    source.add('m0')
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m0'])
    expect(source.opened).toBe(1)
  })

  it('reopens after a gap', async () => {
    const source = new TestSource(texts(1))
    source.receiveFaults.push(() => {
      throw new Gap({ requested: '5', base: '9' })
    })
    const { consumer } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    await expect(shell.receive(ten, never)).rejects.toSatisfy(Gap.is)
    expect(textsOf(await shell.receive(ten, never))).toEqual(['m0'])
    expect(source.opened).toBe(2)
  })

  it('hands on an empty batch, which needs no commit', async () => {
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(inputPlan({ open: new TestSource([]).consumer }))
    const batch = await shell.receive(ten, never)
    expect(batch.messages).toEqual([])
    await batch.commit(ALL_ACKED)
    expect(accounting.snapshot().in).toBe(0)
  })
})

describe('the pause after a nack', () => {
  it('grows with every failed batch and is forgotten after a delivered one', async () => {
    const clock = testClock()
    const source = new TestSource(texts(1), { end: 'wait' })
    const { consumer } = bench(clock, () => 0.5)
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const pauses: number[] = []
    const fetch = async (): Promise<Batch> => {
      const before = clock.monotonic()
      const receiving = shell.receive(ten, never)
      let batch: Batch | undefined
      void receiving.then(value => {
        batch = value
      })
      await settle()
      while (batch === undefined) await clock.advance(10)
      pauses.push(clock.monotonic() - before)
      return batch
    }
    for (let round = 0; round < 4; round++) await (await fetch()).commit([nack])
    await (await fetch()).commit(ALL_ACKED)
    source.add('m1')
    await (await fetch()).commit([nack])
    await (await fetch()).commit(ALL_ACKED)
    expect(pauses).toEqual([0, 50, 100, 200, 400, 0, 50])
  })

  it('is one pause for batches that were out together', async () => {
    const clock = testClock()
    const source = new TestSource(texts(8))
    const { consumer } = bench(clock, () => 0.5)
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batches: Batch[] = []
    for (let at = 0; at < 4; at++) batches.push(await shell.receive(two, never))
    for (const batch of batches) await batch.commit([nack, nack])
    const next = shell.receive(ten, never)
    await clock.advance(50)
    expect((await next).messages).toHaveLength(8)
  })

  it('does not hold up an input whose callers wait for answers', async () => {
    const source = new TestSource(texts(2))
    const { consumer } = bench(testClock(), () => 0.5)
    const shell = await consumer(inputPlan({ open: source.consumer, capabilities: { replies: 'yes' } }))
    await (await shell.receive({ messages: 1, bytes: 10 }, never)).commit([nack])
    expect((await shell.receive(ten, never)).messages).toHaveLength(2)
  })
})

describe('close of an input', () => {
  it('comes early and twice, and everything rejects as closed afterwards', async () => {
    const source = new TestSource(texts(2))
    const { consumer, accounting } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    const batch = await shell.receive(ten, never)
    await shell.close()
    await shell.close()
    await expect(shell.receive(ten, never)).rejects.toMatchObject({ kind: 'connection', code: 'MQB_CLOSED' })
    await expect(batch.commit(ALL_ACKED)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect(source.settled).toEqual([])
    expect(source.closed).toBe(1)
    expect(accounting.snapshot()).toMatchObject({ in: 2, returned: 2, inFlight: 0 })
  })

  it('rejects a receive that waits and a commit that waits for its turn', async () => {
    const source = new TestSource(texts(2), { ordered: true, end: 'wait' })
    const { consumer } = bench(testClock())
    const shell = await consumer(ordered(source))
    await shell.receive({ messages: 1, bytes: 10 }, never)
    const second = await shell.receive({ messages: 1, bytes: 10 }, never)
    const commit = second.commit(ALL_ACKED)
    const receive = shell.receive(ten, never)
    const closing = shell.close()
    await expect(commit).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    await expect(receive).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    await closing
  })

  it('ends within 5 s although the leaf hangs, and says so', async () => {
    const clock = testClock()
    const leaf: Consumer = { ...scripted(), close: () => new Promise(() => {}) }
    const { consumer, log } = bench(clock)
    const shell = await consumer(inputPlan({ open: () => leaf }))
    await settle()
    let closed = false
    void shell.close().then(() => {
      closed = true
    })
    await clock.advance(4999)
    expect(closed).toBe(false)
    await clock.advance(1)
    expect(closed).toBe(true)
    expect(log.withCode('MQB_CLOSE_TIMEOUT')).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('closes a leaf that was still being opened', async () => {
    const source = new TestSource([])
    let opened = (): void => {}
    const gate = new Promise<void>(resolve => {
      opened = resolve
    })
    const { consumer } = bench(testClock())
    const shell = await consumer(
      inputPlan({
        open: async () => {
          await gate
          return source.consumer()
        },
      }),
    )
    const closing = shell.close()
    opened()
    await closing
    expect(source.opened).toBe(1)
    expect(source.open).toBe(0)
  })
})

describe('an input that can never be opened', () => {
  it('ends the route and rejects the receive', async () => {
    const source = new TestSource([])
    source.openFaults.push(() => {
      throw permanent
    })
    const { consumer, endings } = bench(testClock())
    const shell = await consumer(inputPlan({ open: source.consumer }))
    await expect(shell.receive(ten, never)).rejects.toMatchObject({ code: 'MQB_TEST_BAD' })
    expect(endings).toHaveLength(1)
    await expect(shell.receive(ten, never)).rejects.toMatchObject({ code: 'MQB_TEST_BAD' })
  })
})
