import { formatReport } from '@mqb/core/config'
import { deliveryGuarantee } from '@mqb/core/runtime'
import type { Invocation } from '../arguments/invocation.ts'
import { hasErrors, loadChecked } from '../config/load.ts'
import { exitCode } from '../process/exit-code.ts'
import type { Host } from '../process/host.ts'

/** Checks everything that can be checked without a connection, and says what would run. */
export async function validate(
  options: Extract<Invocation, { command: 'validate' }>,
  { terminal, secrets, ...rest }: Host,
): Promise<number> {
  const { problems, routes } = await loadChecked(options, { terminal, secrets, ...rest })
  if (problems.length > 0) terminal.err(secrets.scrub(formatReport(problems)))
  if (hasErrors(problems)) return exitCode.invalid
  for (const route of routes) {
    const { level, because } = deliveryGuarantee(route)
    const off = route.options.enabled ? '' : ' (disabled)'
    terminal.out(
      secrets.scrub(
        `${route.name}${off}: ${route.input.target} → ${route.output.target}\n  ${level}: ${because}`,
      ),
    )
  }
  const other = routes.length === 0 ? '; -c names another configuration' : ''
  terminal.out(`${routes.length} ${routes.length === 1 ? 'route' : 'routes'}, no mistakes found${other}`)
  return exitCode.done
}
