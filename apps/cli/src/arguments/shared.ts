import { type Command, Option } from 'commander'
import type { ColorChoice } from '../process/terminal.ts'
import type { GlobalOptions } from './invocation.ts'
import { collect } from './values.ts'

/** What every command takes. */
export interface SharedValues {
  plugin?: readonly string[]
  color: ColorChoice
}

export function addShared(command: Command): void {
  command
    .option('--plugin <path>', 'load a plugin, by file or package name; may be repeated', collect)
    .addOption(
      new Option('--color <when>', 'colours on stderr').choices(['auto', 'always', 'never']).default('auto'),
    )
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
}

/** Given before the command, after it, or both: plugins add up, the later colour wins. */
export function globalsOf(before: SharedValues, after?: SharedValues): GlobalOptions {
  return {
    plugins: [...(before.plugin ?? []), ...(after?.plugin ?? [])],
    color: after === undefined || after.color === 'auto' ? before.color : after.color,
  }
}
