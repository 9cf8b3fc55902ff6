/** A source that always has something at once would keep timers and signals from ever being seen. */
const turnMs = 10

const { setImmediate: nextTurn } = globalThis
let lastTurnMs = 0

/** Gives the event loop a turn, if it has had none for a while. */
export async function giveTurn(): Promise<void> {
  if (performance.now() - lastTurnMs < turnMs) return
  await new Promise<void>(resolve => {
    nextTurn(resolve)
  })
  lastTurnMs = performance.now()
}
