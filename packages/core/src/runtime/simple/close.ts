import type { Opening } from '../../contract/opening.ts'
import { describeThrown } from '../../errors/normalize.ts'
import type { MaybePromise } from './types.ts'

/** Less than the 5 s that a close may take, so that what wraps it has time left. */
const limitMs = 4000

/** Closes an object made in code. Its failure or slowness is logged and holds up nothing. */
export async function closeQuietly(
  closable: { close?(): MaybePromise<void> },
  { clock, log, path }: Pick<Opening, 'clock' | 'log' | 'path'>,
): Promise<void> {
  if (closable.close === undefined) return
  const done = new AbortController()
  const late = clock.sleep(limitMs, done.signal).then(
    () => log.warn(`${path}: close() has not ended within ${limitMs} ms; going on without it`),
    () => undefined,
  )
  const closing = (async () => {
    try {
      await closable.close?.()
    } catch (thrown) {
      log.warn(`${path}: close() failed: ${describeThrown(thrown)}`)
    }
  })()
  await Promise.race([closing, late])
  done.abort()
}
