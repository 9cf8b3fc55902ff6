/** The last known state of an endpoint. Carries no secret. */
export interface EndpointStatus {
  readonly healthy: boolean
  /** What it is connected to, without credentials: `file orders.csv`, `nats://host:4222 orders`. */
  readonly target: string
  /** Messages or batches that wait at the source, where it knows; 0 means caught up. */
  readonly pending?: number
  /** Bound of its queue, in the unit of `pending`. */
  readonly capacity?: number
  /** The last cause of trouble. */
  readonly error?: string
  /** What else is worth showing: `bound_addr`, `offset`, `late_replies`. JSON values only. */
  readonly details?: Readonly<Record<string, unknown>>
}
