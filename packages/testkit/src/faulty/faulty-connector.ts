import type { Batch, Consumer, Publisher } from '@mqb/core'
import {
  createReferenceConnector,
  type ReferenceChanges,
  type ReferenceConfig,
  type ReferenceConnector,
} from '../reference/index.ts'

/** The reference connector with one rule broken. */
export interface FaultyConnector {
  /** What it does wrong. */
  readonly name: string
  /** The tests that exist for this fault. */
  readonly breaks: readonly string[]
  /** Other tests that cannot pass either, because they need what is broken. */
  readonly alsoBreaks: readonly string[]
  /** The form in which it runs. */
  readonly config: Omit<ReferenceConfig, 'channel'>
  create(): ReferenceConnector
}

interface Fault extends ReferenceChanges {
  readonly name: string
  readonly breaks: string | readonly string[]
  readonly alsoBreaks?: readonly string[]
  readonly config?: Omit<ReferenceConfig, 'channel'>
}

export function faulty(fault: Fault): FaultyConnector {
  return {
    name: fault.name,
    breaks: typeof fault.breaks === 'string' ? [fault.breaks] : fault.breaks,
    alsoBreaks: fault.alsoBreaks ?? [],
    config: fault.config ?? {},
    create: () => createReferenceConnector(fault),
  }
}

/** The consumer with some members replaced. */
export function changedConsumer(inner: Consumer, changes: Partial<Consumer>): Consumer {
  return {
    receive: (limit, signal) => inner.receive(limit, signal),
    pin: () => inner.pin(),
    status: () => inner.status(),
    close: () => inner.close(),
    ...changes,
  }
}

/** The publisher with some members replaced. */
export function changedPublisher(inner: Publisher, changes: Partial<Publisher>): Publisher {
  return {
    send: (messages, signal) => inner.send(messages, signal),
    flush: () => inner.flush(),
    status: () => inner.status(),
    close: () => inner.close(),
    ...changes,
  }
}

/** The consumer with every batch that it hands out replaced. */
export function changedBatches(inner: Consumer, change: (batch: Batch) => Batch): Consumer {
  return changedConsumer(inner, {
    receive: async (limit, signal) => change(await inner.receive(limit, signal)),
  })
}

export function changedCommit(
  inner: Consumer,
  commit: (batch: Batch, outcomes: Parameters<Batch['commit']>[0]) => Promise<void>,
): Consumer {
  return changedBatches(inner, batch => ({
    messages: batch.messages,
    commit: outcomes => commit(batch, outcomes),
  }))
}

export const forever = (): Promise<never> => new Promise(() => {})
