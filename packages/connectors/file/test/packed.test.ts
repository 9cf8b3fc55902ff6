import { readFileSync, writeFileSync } from 'node:fs'
import { ALL_ACKED, ack, type Batch, type Consumer, failure, MqbError, type PackedMessages } from '@mqb/core'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { LineIndex, PackedLines } from '../src/packed-lines.ts'
import { SlabPool } from '../src/slab-pool.ts'
import { never, openInput, openOutput, scratch } from './support/harness.ts'

let folder = scratch()
afterEach(() => {
  folder.remove()
  folder = scratch()
})

const limit = { messages: 7, bytes: 1 << 20 }
const later = failure(new MqbError({ kind: 'retryable', code: 'MQB_TEST', what: 'not now' }))

async function input(text: string | Buffer, readBytes?: number): Promise<Consumer> {
  writeFileSync(folder.path('in'), text)
  const parts = readBytes === undefined ? {} : { readBytes }
  return (await openInput({ path: folder.path('in'), format: 'raw' }, {}, parts)).end
}

/** What a publisher that takes runs would write at this moment. */
function bytesOf(packed: PackedMessages): string {
  return packed.runs.map(({ bytes, start, end }) => bytes.toString('utf8', start, end)).join('')
}

const isEmpty = (batch: Batch): boolean => batch.packed === undefined && batch.messages.length === 0

describe('a batch of lines', () => {
  it('says how its lines lie in memory, and makes the same messages of them', async () => {
    const consumer = await input('one\n\ntwo\nthree\n')
    const { packed, messages } = await consumer.receive(limit, never)
    expect(packed).toMatchObject({ count: 4, byteLength: 11, delimiter: 10 })
    expect(bytesOf(packed as PackedMessages)).toBe('one\n\ntwo\nthree\n')
    expect(messages.map(message => message.text())).toEqual(['one', '', 'two', 'three'])
    expect(packed?.messages).toBe(messages)
    await consumer.close()
  })

  it('is made of messages where a carriage return is part of the framing', async () => {
    const consumer = await input('one\r\ntwo\n')
    const batch = await consumer.receive(limit, never)
    expect(batch.packed).toBeUndefined()
    expect(batch.messages.map(message => message.text())).toEqual(['one', 'two'])
    await consumer.close()
  })

  it('leaves a last line without an end to a batch of messages', async () => {
    const consumer = await input('one\ntwo')
    const [first, last] = [await consumer.receive(limit, never), await consumer.receive(limit, never)]
    expect(first.packed?.count).toBe(1)
    expect(last.packed).toBeUndefined()
    expect(last.messages.map(message => message.text())).toEqual(['two'])
    await consumer.close()
  })

  it('is written as it lies, and otherwise falls back to messages', async () => {
    const consumer = await input('one\ntwo\n')
    const { packed } = await consumer.receive(limit, never)
    const { end: raw } = await openOutput({ path: folder.path('raw'), format: 'raw' })
    await expect(raw.sendPacked?.(packed as PackedMessages, never)).resolves.toBe(ALL_ACKED)
    expect(readFileSync(folder.path('raw'), 'utf8')).toBe('one\ntwo\n')
    for (const config of [
      { path: folder.path('x'), format: 'json' },
      { path: folder.path('x'), format: 'raw', delimiter: '|' },
      { path: folder.path('${metadata:k}'), format: 'raw' },
    ]) {
      const { end } = await openOutput(config)
      expect(end.sendPacked?.(packed as PackedMessages, never)).toBeUndefined()
      await end.close()
    }
    await raw.close()
    await consumer.close()
  })

  it('keeps a payload that begins with a byte-order mark', async () => {
    const { end } = await openOutput({ path: folder.path('out'), format: 'raw' })
    const bytes = Buffer.from('\ufeffx\n')
    const packed = {
      count: 1,
      byteLength: 4,
      delimiter: 10,
      runs: [{ bytes, start: 0, end: 5 }],
      messages: [],
    }
    expect(end.sendPacked?.(packed, never)).toBeUndefined()
    await end.close()
  })
})

describe('memory that is read into again', () => {
  it('never changes what is not committed yet, nor messages that were made, whatever fails in between', async () => {
    const step = fc.record({
      messages: fc.integer({ min: 1, max: 9 }),
      takesMessages: fc.boolean(),
      outcome: fc.constantFrom('acked', 'acked', 'acked', 'listed', 'failed'),
      waits: fc.integer({ min: 0, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 16, max: 64 }),
        async (steps, readBytes) => {
          const lines = Array.from({ length: 120 }, (_, index) => `line ${index} ${'x'.repeat(index % 13)}`)
          const consumer = await input(`${lines.join('\n')}\n`, readBytes)
          const kept: { text: string; expected: string }[] = []
          const open: { batch: Batch; at: number; takesMessages: boolean }[] = []
          let next = 0
          let committed = 0
          const check = ({ batch, at, takesMessages }: (typeof open)[number]): number => {
            const count = batch.packed?.count ?? batch.messages.length
            const expected = lines.slice(at, at + count)
            if (takesMessages || batch.packed === undefined)
              expect(batch.messages.map(message => message.text())).toEqual(expected)
            else expect(bytesOf(batch.packed)).toBe(`${expected.join('\n')}\n`)
            return count
          }
          for (let round = 0; committed < lines.length; round++) {
            const { messages, takesMessages, outcome, waits } = steps[
              round % steps.length
            ] as (typeof steps)[number]
            if (next < lines.length) {
              const batch = await consumer.receive({ messages, bytes: 1 << 20 }, never)
              if (isEmpty(batch)) break
              const at = next
              if (takesMessages)
                for (const [index, message] of batch.messages.entries())
                  kept.push({
                    get text() {
                      return message.bytes.toString('utf8', message.start, message.end)
                    },
                    expected: lines[at + index] as string,
                  })
              open.push({ batch, at, takesMessages })
              next = at + (batch.packed?.count ?? batch.messages.length)
            }
            while (open.length > (next < lines.length ? waits : 0)) {
              const first = open.shift() as (typeof open)[number]
              const count = check(first)
              if (outcome !== 'failed' || round > 400) {
                await first.batch.commit(outcome === 'listed' ? new Array(count).fill(ack()) : ALL_ACKED)
                committed = first.at + count
              } else {
                // The last message stays: it and all behind it come again.
                await first.batch.commit([...new Array(count - 1).fill(ack()), later])
                committed = first.at + count - 1
                next = committed
                open.length = 0
              }
            }
          }
          expect(committed).toBe(lines.length)
          for (const { text, expected } of kept) expect(text).toBe(expected)
          await consumer.close()
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([true, false])(
    'is forgotten by the pool when it is done with (messages were made: %s)',
    takesMessages => {
      const pool = new SlabPool(8)
      const slab = pool.take()
      slab.write('one\ntwo\n')
      const lines = new LineIndex(2, pool)
      lines.begin(slab, 0)
      lines.ends.set([3, 7])
      lines.count = 2
      const packed = new PackedLines(lines, 6)
      pool.release(slab)
      expect(pool.inUse).toBe(1)
      if (takesMessages) expect(packed.messages.map(message => message.text())).toEqual(['one', 'two'])
      packed.release()
      expect(pool.inUse).toBe(0)
      expect(pool.take() === slab).toBe(!takesMessages)
    },
  )

  it('goes back to the pool when its last user has let go, unless messages were made of it', () => {
    const pool = new SlabPool(8, 16)
    const shared = pool.take()
    pool.share(shared)
    pool.release(shared)
    const small = pool.take()
    expect(small).not.toBe(shared)
    expect(small.length).toBe(8)
    pool.retain(small)
    pool.release(small)
    pool.release(small)
    const large = pool.take()
    expect(large.length).toBe(16)
    pool.release(large)
    expect(pool.take()).toBe(large)
    pool.release(Buffer.alloc(16))
    expect(pool.take()).not.toBe(large)
  })
})
