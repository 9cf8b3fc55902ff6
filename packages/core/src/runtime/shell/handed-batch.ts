import type { Batch } from '../../contract/consumer.ts'
import type { Outcomes } from '../../contract/outcome.ts'
import type { PackedMessages } from '../../contract/packed.ts'
import type { Message } from '../../message/message.ts'
import { assertOutcomeCount } from '../../outcome/outcome.ts'
import { messageCount } from './message-count.ts'

/** Where the commits of handed out batches go. */
export interface CommitTarget {
  commit(batch: HandedBatch, outcomes: Outcomes): Promise<void>
}

/** A batch of a leaf as the shell hands it out: numbered, and committed through the shell. */
export class HandedBatch implements Batch {
  readonly leafBatch: Batch
  /** The opening of the leaf that it belongs to. */
  readonly generation: number
  /** Counts the batches of a shell in the order in which they were handed out. */
  readonly number: number
  private readonly target: CommitTarget
  private committed = false

  constructor(leafBatch: Batch, generation: number, number: number, target: CommitTarget) {
    this.leafBatch = leafBatch
    this.generation = generation
    this.number = number
    this.target = target
  }

  get messages(): readonly Message[] {
    return this.leafBatch.messages
  }

  get packed(): PackedMessages | undefined {
    return this.leafBatch.packed
  }

  get count(): number {
    return messageCount(this.leafBatch)
  }

  commit(outcomes: Outcomes): Promise<void> {
    try {
      assertOutcomeCount(outcomes, this.count)
      if (this.committed) throw new TypeError('a batch is committed at most once')
    } catch (thrown) {
      return Promise.reject(thrown)
    }
    if (this.count === 0) return Promise.resolve()
    this.committed = true
    return this.target.commit(this, outcomes)
  }
}
