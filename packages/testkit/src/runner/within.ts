import assert from 'node:assert/strict'

/** What `promise` gives; an assertion error that names `what` when it takes longer than `ms`. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Symbol('late')
  const result = await orLate(promise, ms, late)
  if (result === late) assert.fail(`${what} did not end within ${ms} ms`)
  return result as T
}

/** Whether the promise settles, either way, within `ms`. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Symbol('late')
  return (
    (await orLate(
      promise.then(
        () => undefined,
        () => undefined,
      ),
      ms,
      late,
    )) !== late
  )
}

/** Waits until `condition` holds; `false` when it does not within `ms`. */
export async function becomesTrue(
  condition: () => boolean | Promise<boolean>,
  ms: number,
  everyMs = 5,
): Promise<boolean> {
  const until = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() >= until) return false
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
  return true
}

async function orLate<T>(promise: Promise<T>, ms: number, late: symbol): Promise<T | symbol> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<symbol>(resolve => {
    timer = setTimeout(() => resolve(late), ms)
  })
  try {
    return await Promise.race([promise, deadline])
  } finally {
    clearTimeout(timer)
  }
}
