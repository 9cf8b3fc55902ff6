/** What the process says to whoever started it. Documented in the README; scripts rely on it. */
export const exitCode = Object.freeze({
  done: 0,
  /** A route failed, rows were read but not delivered, or nothing could start. */
  failed: 1,
  /** Usage, a URI or the configuration is wrong: found before anything was connected. */
  invalid: 2,
  /** A second signal cut the shutdown short. */
  forced: 130,
})
