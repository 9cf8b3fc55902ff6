// Loaded before a measured program: leaves its peak memory in a file when it ends.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.env.MQB_BENCH_USAGE
if (file !== undefined)
  process.once('exit', () => writeFileSync(file, JSON.stringify({ peakBytes: peakBytes() })))

/** On Linux `maxRSS` starts with that of the process that spawned this one; the memory map knows its own peak. */
function peakBytes() {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    if (kibibytes !== undefined) return Number(kibibytes) * 1024
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024
}
