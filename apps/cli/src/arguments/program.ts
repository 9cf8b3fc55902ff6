import { Command, Option } from 'commander'
import { addEval } from './eval.ts'
import { type ConfigOptions, type Invocation, UsageError } from './invocation.ts'
import { laterCommands, laterCopyOptions, laterOptions, notAvailable } from './later.ts'
import { addShared, globalsOf, type SharedValues } from './shared.ts'
import { seconds, wholeNumber } from './values.ts'

interface ConfigValues {
  config?: string
  initConfig?: string
  initConfigStr?: string
  configStr?: string
}

interface MainValues extends ConfigValues, SharedValues {
  metrics: boolean
  metricsAddr?: string
  schema?: string
}

interface CopyValues extends SharedValues {
  from?: string
  to?: string
  filter?: string
  drain?: boolean
  wait?: number
  limit?: number
  verbose?: boolean
  concurrency?: number
  batchSize?: number
}

/** What only means something when a configuration is run. */
const runOnly = ['metrics', 'metricsAddr', 'schema']
const configOnly = ['config', 'initConfig', 'initConfigStr', 'configStr']

const afterHelp = `
Examples:
  mqb copy file:orders.csv file:orders.jsonl --drain
  mqb eval 'amount * 1.19' --input '{"amount": 10}'
  mqb -c bridge.yaml validate
  mqb -c bridge.yaml

Exit codes: 0 done or stopped, 1 something failed or was lost, 2 wrong usage or configuration,
130 stopped by a second signal.`

/** Builds the command line. `done` gets what was asked for; whatever is wrong is thrown. */
export function createProgram(version: string, done: (invocation: Invocation) => void): Command {
  const program = new Command('mqb')
  program
    .description(
      'Moves messages between systems: as a long-lived bridge from a configuration file, or as one copy.',
    )
    .usage(
      '[options]\n       mqb [--plugin PATH] copy SOURCE TARGET [options]\n       mqb [-c FILE] validate\n       mqb eval EXPRESSION [options]',
    )
    .argument('[words...]')
    .version(version, '--version', 'print the version')
    .option('-c, --config <path>', 'configuration to run (default: $CONFIG_FILE, else config.yml)')
    .option('-i, --init-config <path>', 'configuration to use while that file does not exist')
    .option('--init-config-str <text>', 'the same as YAML text')
    .option('--config-str <text>', 'YAML or JSON text laid over the file')
    .addOption(
      new Option('--metrics-addr <address>', 'serve /metrics at IP:PORT (default: 127.0.0.1:9090)').conflicts(
        'metrics',
      ),
    )
    .option('--no-metrics', 'serve no metrics')
    .option('--schema <path>', 'write the JSON Schema of the configuration to a file, or to stdout with -')
    .action((words: string[], values: MainValues) => {
      if (words[0] !== undefined) throw unknownCommand(words)
      done(
        values.schema === undefined
          ? { command: 'run', ...configOf(values), ...metricsOf(values), ...globalsOf(values) }
          : { command: 'schema', path: values.schema, ...configOf(values), ...globalsOf(values) },
      )
    })
  addShared(program)
  program.addHelpText('after', afterHelp)
  refuseLater(program, laterOptions)

  addCopy(program, done)
  addValidate(program, done)
  addEval(program, done, () =>
    refuseGiven(program, [...configOnly, ...runOnly], 'eval reads no configuration and runs nothing'),
  )
  for (const [name, what] of Object.entries(laterCommands))
    program
      .command(name, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new UsageError(notAvailable(name, what), 'mqb --help lists what there is')
      })
  return program
}

function addCopy(program: Command, done: (invocation: Invocation) => void): void {
  const copy = program.command('copy')
  copy
    .description(
      'Copies from one URI to another. Ends with Ctrl-C, --drain, --wait, --limit or the end of stdin.',
    )
    .usage('SOURCE TARGET [options]')
    .argument('[source]', 'where from, such as file:orders.csv, or - for stdin')
    .argument('[target]', 'where to, such as file:orders.jsonl, or - for stdout')
    .option('--from <uri>', 'the source, instead of the first argument')
    .option('--to <uri>', 'the target, instead of the second argument')
    .option('--filter <expression>', 'keep the rows for which it is true, such as: amount > 100')
    .option('--drain', 'end when the source has nothing more')
    .option('--wait <seconds>', 'wait this long for the first row, then drain', seconds)
    .option(
      '--limit <rows>',
      'end when this many rows have reached the target',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('-v, --verbose', 'log endpoints, connections and the shutdown')
    .option('--concurrency <batches>', 'batches at work side by side (default: 4)', wholeNumber(1, 1_024))
    .option('--batch-size <rows>', 'most rows in a batch (default: 1024)', wholeNumber(1, 1_000_000))
    .allowExcessArguments(false)
    .action((source: string | undefined, target: string | undefined, values: CopyValues) => {
      refuseGiven(program, [...configOnly, ...runOnly], 'copy reads no configuration and serves no metrics')
      done({
        command: 'copy',
        ...endsOf(source, target, values),
        drain: values.drain === true || values.wait !== undefined,
        verbose: values.verbose === true,
        ...(values.filter === undefined ? {} : { filter: values.filter }),
        ...(values.wait === undefined ? {} : { waitMs: values.wait }),
        ...(values.limit === undefined ? {} : { limit: values.limit }),
        ...(values.concurrency === undefined ? {} : { concurrency: values.concurrency }),
        ...(values.batchSize === undefined ? {} : { batchSize: values.batchSize }),
        ...globalsOf(program.opts<MainValues>(), values),
      })
    })
  addShared(copy)
  refuseLater(copy, laterCopyOptions)
  refuse(copy, '-c, --config <path>', () => new UsageError('copy reads no configuration', 'leave out -c'))
}

function addValidate(program: Command, done: (invocation: Invocation) => void): void {
  const validate = program.command('validate')
  validate
    .description('Loads, resolves and checks a configuration without connecting to anything.')
    .usage('[-c FILE]')
    .option('-c, --config <path>', 'configuration to check (default: $CONFIG_FILE, else config.yml)')
    .allowExcessArguments(false)
    .action((values: { config?: string } & SharedValues) => {
      refuseGiven(program, runOnly, 'validate runs nothing')
      const before = program.opts<MainValues>()
      done({ command: 'validate', ...configOf({ ...before, ...values }), ...globalsOf(before, values) })
    })
  addShared(validate)
}

function refuseLater(command: Command, options: readonly (readonly [string, string])[]): void {
  for (const [flags, what] of options) {
    const name = flags.split(' ')[0] ?? flags
    refuse(command, flags, () => new UsageError(notAvailable(name, what), 'leave it out'))
  }
}

/** A flag that is known and answered with an error of its own. */
function refuse(command: Command, flags: string, error: () => UsageError): void {
  const option = new Option(flags).hideHelp()
  command.addOption(option)
  command.on(`option:${option.name()}`, () => {
    throw error()
  })
}

/** Options that stand before a command for which they mean nothing. */
function refuseGiven(program: Command, attributes: readonly string[], why: string): void {
  for (const option of program.options) {
    const attribute = option.attributeName()
    if (attributes.includes(attribute) && program.getOptionValueSource(attribute) === 'cli')
      throw new UsageError(`${option.long ?? option.flags} has no place here: ${why}`, 'leave it out')
  }
}

function endsOf(
  source: string | undefined,
  target: string | undefined,
  values: CopyValues,
): { source: string; target: string } {
  const named = values.from !== undefined || values.to !== undefined
  if (named && source !== undefined)
    throw new UsageError('two URIs and --from, --to are two ways to say the same', 'use one of them')
  const [from, to] = named ? [values.from, values.to] : [source, target]
  if (from !== undefined && to !== undefined) return { source: from, target: to }
  if (from === undefined && to === undefined)
    throw new UsageError(
      'copy needs a source and a target',
      'for example: mqb copy file:in.jsonl file:out.jsonl --drain',
    )
  if (named)
    throw new UsageError(`--${from === undefined ? 'from' : 'to'} is missing`, '--from and --to go together')
  throw new UsageError('the target is missing', 'add a second URI; - is stdout, null: discards')
}

function unknownCommand(words: readonly string[]): UsageError {
  const [word = ''] = words
  return words.length >= 2 && /^-$|:/.test(word)
    ? new UsageError(
        `${JSON.stringify(word)} is no command`,
        'to copy from one URI to another: mqb copy SOURCE TARGET',
      )
    : new UsageError(
        `${JSON.stringify(word)} is no command`,
        'the commands are copy, eval and validate; see mqb --help',
      )
}

function configOf(values: ConfigValues): ConfigOptions {
  return {
    ...(values.config === undefined ? {} : { config: values.config }),
    ...(values.initConfig === undefined ? {} : { initConfig: values.initConfig }),
    ...(values.initConfigStr === undefined ? {} : { initConfigText: values.initConfigStr }),
    ...(values.configStr === undefined ? {} : { configText: values.configStr }),
  }
}

const metricsOf = (values: MainValues): { metrics: boolean; metricsAddress?: string } => ({
  metrics: values.metrics,
  ...(values.metricsAddr === undefined ? {} : { metricsAddress: values.metricsAddr }),
})
