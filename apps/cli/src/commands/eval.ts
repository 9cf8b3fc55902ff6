import type { ConfigProblem } from '@mqb/core'
import { describeThrown } from '@mqb/core'
import { formatReport } from '@mqb/core/config'
import { fromJson } from '@mqb/expression'
import type { Invocation } from '../arguments/invocation.ts'
import { evaluate, positionOf } from '../eval/evaluate.ts'
import { linesOf } from '../eval/lines.ts'
import { answerLine } from '../eval/request.ts'
import { exitCode } from '../process/exit-code.ts'
import { type Host, whenAborted } from '../process/host.ts'

type EvalInvocation = Extract<Invocation, { command: 'eval' }>

/** Prints what an expression says about one input, or about each line of stdin. */
export function evaluateExpression(options: EvalInvocation, host: Host): Promise<number> | number {
  return options.stdin ? answerStdin(host) : evaluateOne(options, host)
}

function evaluateOne(options: Extract<EvalInvocation, { stdin: false }>, { terminal }: Host): number {
  const { expression, input = '{}', metadata } = options
  try {
    fromJson(input)
  } catch (error) {
    return invalid(terminal, [
      problem(
        'MQB_USAGE',
        '--input',
        `it is ${describeThrown(error)}`,
        'write a JSON text, such as {"amount": 5}',
      ),
    ])
  }
  const evaluation = evaluate(expression, Buffer.from(input), metadata)
  if ('json' in evaluation) {
    terminal.out(evaluation.json)
    return exitCode.done
  }
  if (evaluation.fault === 'expression')
    return invalid(
      terminal,
      evaluation.problems.map(each =>
        problem('MQB_EXPRESSION_INVALID', 'EXPRESSION', `${positionOf(each)}${each.what}`, each.mend),
      ),
    )
  for (const each of evaluation.problems) terminal.err(`mqb: ${positionOf(each)}${each.what}\n  ${each.mend}`)
  return exitCode.failed
}

function problem(code: string, where: string, what: string, mend: string): ConfigProblem {
  return { severity: 'error', code, where, what, mend }
}

function invalid(terminal: Host['terminal'], problems: readonly ConfigProblem[]): number {
  terminal.err(formatReport(problems))
  return exitCode.invalid
}

async function answerStdin({ terminal, signals }: Host): Promise<number> {
  whenAborted(signals.stop, () => process.stdin.destroy())
  terminal.onStdoutEnd(() => process.stdin.destroy())
  try {
    for await (const line of linesOf(process.stdin)) {
      if (line.toString().trim() === '') continue
      terminal.out(answerLine(line))
      await terminal.flushed()
    }
  } catch (error) {
    // A stop, and the end of stdout, close stdin under the loop.
    if (!signals.stop.aborted && !terminal.readerGone && terminal.stdoutFailure === undefined) throw error
  }
  return exitCode.done
}
