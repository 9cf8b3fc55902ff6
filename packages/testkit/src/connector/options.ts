import type { Message, Plugin, Side } from '@mqb/core'

/** How long the suite waits. Real systems may need more patience; nothing gets faster by a larger number. */
export interface SuiteLimits {
  /** For an answer that must come. Default 10 000. */
  readonly patienceMs: number
  /** Of silence, before "nothing more comes" is believed. Default 150. */
  readonly quietMs: number
  /** `drainIdleMs` of inputs that are opened to drain. Default 150. */
  readonly drainIdleMs: number
  /** For `close`. The contract says 5000; less only makes a test of a hanging close quicker. */
  readonly closeMs: number
}

export const defaultLimits: SuiteLimits = {
  patienceMs: 10_000,
  quietMs: 150,
  drainIdleMs: 150,
  closeMs: 5_000,
}

/** What `provision` may return beside the two ends, for tests that need more than them. */
export type Hook = 'feed' | 'readBack' | 'poison' | 'cutConnection' | 'restartServer'

export const everyHook: readonly Hook[] = ['feed', 'readBack', 'poison', 'cutConnection', 'restartServer']

/** Two ends for one test. Configurations are as a user writes them under the endpoint's key. */
export interface ProvisionedEnds {
  /** Reads what `output` wrote, or what `feed` put there. Left out where the connector has no input. */
  readonly input?: unknown
  /** Left out where the connector has no output. */
  readonly output?: unknown
  /**
   * Puts messages into the source by other means than the output: also metadata that no publisher would send. Needed
   * for connectors with only an input, or with ends that do not meet.
   */
  feed?(messages: readonly Message[]): Promise<void>
  /**
   * Everything that the sink holds by now, in order, read by other means than the input and with nothing taken out of
   * the metadata. Needed for connectors with only an output, or with ends that do not meet.
   */
  readBack?(): Promise<readonly Message[]>
  /** A message that the sink refuses for now: a failure of kind `retryable` or `connection`, each time it is sent. */
  poison?(): Message
  /** Breaks every connection that is open. New ones work when it resolves. */
  cutConnection?(): Promise<void>
  /** Stops the system and starts it again with its data. New connections work when it resolves. */
  restartServer?(): Promise<void>
  /** Called after the test, when both ends are closed. */
  dispose?(): Promise<void>
}

export interface ConnectorSuiteOptions {
  readonly plugin: Plugin
  /** Key of the endpoint in the plugin. */
  readonly endpoint: string
  /** The connector is tested on this side alone. Default: both. */
  readonly oneSided?: Side
  /**
   * Called once per test: ends that no other test can see. Throws `Unavailable` where the system cannot exist on this
   * machine.
   */
  provision(): ProvisionedEnds | Promise<ProvisionedEnds>
  /**
   * Configurations with the same capabilities as those that `provision` returns; nothing is opened with them. They tell
   * before the run which rules apply. Default: the first example of the endpoint on each side.
   */
  readonly sample?: { readonly input?: unknown; readonly output?: unknown }
  /** The hooks that `provision` returns, all of them. Default: none. */
  readonly hooks?: readonly Hook[]
  /** Bytes of the largest payload that the suite sends. Default: `maxPayloadBytes`, at most 64 MiB; without it 1 MiB. */
  readonly largestPayload?: number
  readonly limits?: Partial<SuiteLimits>
  /** Title of the group. Default: `<endpoint>: connector conformance`. */
  readonly title?: string
}
