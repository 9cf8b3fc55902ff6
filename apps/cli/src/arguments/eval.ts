import type { Command } from 'commander'
import { type EvalOptions, type Invocation, UsageError } from './invocation.ts'
import { addShared, globalsOf, type SharedValues } from './shared.ts'
import { collect } from './values.ts'

interface EvalValues extends SharedValues {
  input?: string
  meta?: readonly string[]
  stdin?: boolean
}

const afterHelp = `
Examples:
  mqb eval 'amount * 1.19' --input '{"amount": 10}'
  mqb eval 'meta.kind == "order" and amount > 100' --input '{"amount": 500}' --meta kind=order
  echo '{"expression": "a + b", "input": {"a": 1, "b": 2}}' | mqb eval --stdin

With --stdin each line of stdin is {"expression": …, "input": …, "meta": {…}}, and each line of stdout
{"result": …} or {"error": …}.`

/** @param refuseOthers throws for options before the command that mean nothing to it. */
export function addEval(
  program: Command,
  done: (invocation: Invocation) => void,
  refuseOthers: () => void,
): void {
  const command = program.command('eval')
  command
    .description(
      'Evaluates an expression and prints the result as JSON: what filters, switches and transforms see.',
    )
    .usage('EXPRESSION [options]')
    .argument('[expression]', 'the expression; one that begins with - stands behind --')
    .option('--input <json>', 'the payload that it reads (default: {})')
    .option('--meta <key=value>', 'metadata that it reads as meta.key; may be repeated', collect)
    .option('--stdin', 'evaluate one expression per line of stdin')
    .allowExcessArguments(false)
    .addHelpText('after', afterHelp)
    .action((expression: string | undefined, values: EvalValues) => {
      refuseOthers()
      done({
        command: 'eval',
        ...evalOptions(expression, values),
        ...globalsOf(program.opts<SharedValues>(), values),
      })
    })
  addShared(command)
}

function evalOptions(expression: string | undefined, values: EvalValues): EvalOptions {
  if (values.stdin === true) {
    if (expression !== undefined || values.input !== undefined || values.meta !== undefined)
      throw new UsageError(
        'with --stdin expressions, input and metadata come on stdin',
        'leave out the others, or --stdin',
      )
    return { stdin: true }
  }
  if (expression === undefined)
    throw new UsageError(
      'the expression is missing',
      'for example: mqb eval "amount > 100" --input \'{"amount": 5}\'',
    )
  return {
    stdin: false,
    expression,
    metadata: (values.meta ?? []).flatMap(metadataPair),
    ...(values.input === undefined ? {} : { input: values.input }),
  }
}

function metadataPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at <= 0)
    throw new UsageError(
      `--meta takes KEY=VALUE, not ${JSON.stringify(text)}`,
      'for example: --meta kind=order',
    )
  return [text.slice(0, at), text.slice(at + 1)]
}
