import type { ConfigProblem } from '../plan/plan.ts'

/**
 * The findings as text, one paragraph each, an empty line between them:
 *
 *     MQB_CONFIG_INVALID orders.input.nats.url (bridge.yaml:14:7)
 *       expected at least one server, got an empty text
 *       add one, for example: url: "nats://localhost:4222"
 *
 * A warning begins with `warning `.
 */
export function formatReport(problems: readonly ConfigProblem[]): string {
  return problems.map(formatProblem).join('\n\n')
}

function formatProblem(problem: ConfigProblem): string {
  const { severity, code, where, what, mend } = problem
  const place = formatPlace(problem)
  const head = [severity === 'warning' ? 'warning' : '', code, where, place === '' ? '' : `(${place})`]
  const lines = [head.filter(part => part !== '').join(' '), ...indent(what)]
  if (mend !== '') lines.push(...indent(mend))
  return lines.join('\n')
}

function formatPlace({ file, line, column }: ConfigProblem): string {
  if (file === undefined) return ''
  return [file, line, column].filter(part => part !== undefined).join(':')
}

function indent(text: string): string[] {
  return text.split('\n').map(line => `  ${line}`)
}
