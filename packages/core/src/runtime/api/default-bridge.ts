import type { LogLevel } from '../../contract/logger.ts'
import type { Plugin } from '../../contract/plugin.ts'
import { createLogger } from '../../observe/logger.ts'
import { createSecrets } from '../../observe/secrets.ts'
import { type Bridge, createBridge } from '../bridge/bridge.ts'
import type { DocumentSetting } from './document.ts'

/** One line of the log, for a host that keeps its own. */
export interface HostLogRecord {
  readonly level: LogLevel
  /** Which part speaks. */
  readonly target: string
  readonly message: string
}

let bridge: Bridge | undefined

/** The bridge behind the functions and classes that name none. It begins to exist when it is first needed. */
export function defaultBridge(): Bridge {
  bridge ??= createBridge()
  return bridge
}

/** Makes the parts of plugins known to the default bridge. The same plugin again changes nothing. */
export function registerPlugin(...plugins: readonly Plugin[]): void {
  for (const plugin of plugins) defaultBridge().registry.register(plugin)
}

/**
 * Hands the log of the default bridge to the host instead of writing it to stderr. Once per process, before anything
 * else uses the default bridge.
 *
 * @param callback must not throw.
 * @param level default `warn`.
 * @throws {TypeError} it comes too late.
 */
export function initLogging(callback: (record: HostLogRecord) => void, level: LogLevel = 'warn'): void {
  if (bridge !== undefined)
    throw new TypeError('initLogging must be called once, before anything else uses the default bridge')
  const secrets = createSecrets()
  const log = createLogger({
    sink: (_line, record) =>
      callback({ level: record.level, target: record.target, message: record.message }),
    level,
    secrets,
  })
  bridge = createBridge({ log, secrets })
}

/**
 * Stops all routes of the default bridge, also those that are started later. True the first time only; it cannot be
 * undone.
 */
export function requestShutdown(): boolean {
  return defaultBridge().requestShutdown()
}

export function isShutdownRequested(): boolean {
  return bridge?.isShutdownRequested ?? false
}

export function documentSetting(): DocumentSetting {
  return { registry: defaultBridge().registry, env: process.env, cwd: process.cwd() }
}
