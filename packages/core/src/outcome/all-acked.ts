/** Stands for `{ kind: 'ack', as: 'delivered' }` at every position. The same symbol in every copy of core. */
export const ALL_ACKED: unique symbol = Symbol.for('mqb.ALL_ACKED') as never
