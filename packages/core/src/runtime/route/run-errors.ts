import { MqbError } from '../../errors/mqb-error.ts'

/** What is asked of a part while the route ends does not happen any more. */
export function routeEnding(): MqbError {
  return new MqbError({ kind: 'connection', code: 'MQB_ROUTE_ENDING', what: 'the route ends' })
}

/** The reason with which sends are aborted. */
export function deadlinePassed(): MqbError {
  return new MqbError({
    kind: 'retryable',
    code: 'MQB_DEADLINE',
    what: 'the deadline of the stop has passed',
  })
}

export function startTimeout(where: string, limitMs: number, cause: MqbError | undefined): MqbError {
  return new MqbError({
    kind: 'connection',
    code: 'MQB_START_TIMEOUT',
    where,
    what: `not ready within ${limitMs} ms${cause === undefined ? '' : `: ${cause.what}`}`,
    mend: cause?.mend ?? 'the route goes on trying; raise startup_timeout_ms where this is normal',
    ...(cause === undefined ? {} : { cause }),
  })
}

export function drainStalled(
  where: string,
  stallMs: number,
  settled: number,
  cause: MqbError | undefined,
): MqbError {
  return new MqbError({
    kind: cause?.kind ?? 'connection',
    code: 'MQB_DRAIN_STALLED',
    where,
    what: `nothing was acknowledged for ${stallMs / 1000} s, after ${settled} messages: ${cause?.message}`,
    mend: 'mend the cause and start again; what was not delivered is still with the source',
    ...(cause === undefined ? {} : { cause }),
  })
}
