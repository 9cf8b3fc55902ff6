/** Counts messages and says when the fault is due. Lives as long as the route runs, whatever reconnects meanwhile. */
export interface Trigger {
  /** The fault is due before anything else is handed on. */
  readonly due: boolean
  /** How many messages may pass before the fault is due; `Infinity` once it has happened. */
  readonly distance: number
  /** Counts messages that passed. */
  passed(count: number): void
  /** The fault happened. */
  fired(): void
}

/** @param at the message, from 1, at which it fires once; `undefined` fires every time. */
export function createTrigger(at: number | undefined): Trigger {
  let distance = at === undefined ? 0 : at - 1
  return {
    get due() {
      return distance === 0
    },
    get distance() {
      return distance
    },
    passed(count) {
      distance -= count
    },
    fired() {
      if (at !== undefined) distance = Number.POSITIVE_INFINITY
    },
  }
}
