import type { Invocation } from '../arguments/invocation.ts'
import type { Host } from '../process/host.ts'
export async function copy(options: Extract<Invocation, { command: 'copy' }>, host: Host): Promise<number> {
  host.terminal.err(options.source)
  return 1
}
