import type { AckReason, Outcome, Outcomes } from '../contract/outcome.ts'
import { ALL_ACKED } from '../outcome/all-acked.ts'
import { settles } from '../outcome/outcome.ts'

/**
 * What became of the messages of a route, in source messages. A redelivery counts in again.
 *
 * `in` = `delivered` + `handled` + `filtered` + `duplicates` + `joined` + `deadLettered` + `dropped` + `returned` +
 * `inFlight`, at every moment.
 */
export interface RouteCounts {
  /** Handed out by the source. */
  readonly in: number
  /** The output took it, or answered it. */
  readonly delivered: number
  /** The handler dealt with it and published nothing. */
  readonly handled: number
  readonly filtered: number
  readonly duplicates: number
  readonly joined: number
  readonly deadLettered: number
  /** Failed for good and kept nowhere. */
  readonly dropped: number
  /** Left with the source: nacked, abandoned at a stop, or its commit failed. */
  readonly returned: number
  /** Handed out and not committed. */
  readonly inFlight: number
}

type CountName = Exclude<keyof RouteCounts, 'in' | 'inFlight'>

const countOfReason: Readonly<Record<AckReason, CountName>> = {
  delivered: 'delivered',
  handled: 'handled',
  filtered: 'filtered',
  duplicate: 'duplicates',
  joined: 'joined',
  dead_lettered: 'deadLettered',
  dropped: 'dropped',
}

const countNames: readonly CountName[] = [...Object.values(countOfReason), 'returned']

/** The one set of counters behind status, metrics and summary. Fed by the shells of the inputs, from their commits. */
export class Accounting {
  private readonly counts: Record<keyof RouteCounts, number> = {
    in: 0,
    delivered: 0,
    handled: 0,
    filtered: 0,
    duplicates: 0,
    joined: 0,
    deadLettered: 0,
    dropped: 0,
    returned: 0,
    inFlight: 0,
  }

  /** A batch left the source. */
  handOut(messages: number): void {
    this.counts.in += messages
    this.counts.inFlight += messages
  }

  /**
   * A commit was applied.
   *
   * @param applied how many outcomes, from the first on, moved the source; the rest counts as returned.
   */
  settle(outcomes: Outcomes, messages: number, applied = messages): void {
    const counts = this.counts
    counts.inFlight -= messages
    if (outcomes === ALL_ACKED) {
      counts.delivered += applied
    } else {
      for (let index = 0; index < applied; index++) counts[countOf(outcomes[index]!)] += 1
    }
    counts.returned += messages - applied
  }

  /** A batch went back to the source without a commit that counts. */
  giveBack(messages: number): void {
    this.counts.inFlight -= messages
    this.counts.returned += messages
  }

  get returned(): number {
    return this.counts.returned
  }

  get inFlight(): number {
    return this.counts.inFlight
  }

  /** Messages that the source is done with. */
  get settled(): number {
    return this.counts.in - this.counts.returned - this.counts.inFlight
  }

  snapshot(): RouteCounts {
    return { ...this.counts }
  }

  /** By how many messages the sum misses `in`; 0 unless there is a mistake in mqb or in a middleware. */
  get imbalance(): number {
    return imbalanceOf(this.counts)
  }
}

export function imbalanceOf(counts: RouteCounts): number {
  return countNames.reduce((rest, name) => rest - counts[name], counts.in - counts.inFlight)
}

function countOf(outcome: Outcome): CountName {
  if (outcome.kind === 'ack') return countOfReason[outcome.as]
  if (outcome.kind === 'reply') return 'delivered'
  return settles(outcome) ? 'dropped' : 'returned'
}
