import { type Command, CommanderError } from 'commander'
import { type Invocation, UsageError, type UsageProblem } from './invocation.ts'
import { laterCommands } from './later.ts'
import { createProgram } from './program.ts'

/** Reads the arguments after `mqb`. Never throws for what a user typed, never prints. */
export function parseArguments(args: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined
  let printed = ''
  const program = createProgram(version, found => {
    invocation = found
  })
  configureEach(program, text => {
    printed += text
  })
  try {
    program.parse(args.map(hideStdinUri), { from: 'user' })
  } catch (error) {
    if (error instanceof UsageError)
      return { command: 'misused', problem: { what: error.message, mend: error.mend } }
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version')
      return { command: 'print', text: printed.trimEnd() }
    return { command: 'misused', problem: problemOf(error, args, program) }
  }
  if (invocation === undefined) throw new Error('the command line led to nothing')
  return showStdinUris(invocation)
}

function configureEach(command: Command, write: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut: write, writeErr: () => {}, getOutHelpWidth: () => 100 })
  for (const child of command.commands) configureEach(child, write)
}

function problemOf(error: CommanderError, args: readonly string[], program: Command): UsageProblem {
  const [word] = args
  const commands = [...program.commands.map(command => command.name()), ...Object.keys(laterCommands)]
  // An option that belongs to a misspelt command is not what is wrong.
  if (
    error.code === 'commander.unknownOption' &&
    word !== undefined &&
    /^[a-z]/.test(word) &&
    !commands.includes(word)
  )
    return {
      what: `${JSON.stringify(word)} is no command`,
      mend: 'the commands are copy, eval and validate; see mqb --help',
    }
  const [first = '', hint] = error.message.replace(/^error: /, '').split('\n')
  const name = commands.find(command => args.includes(command))
  return {
    what: showMark(first).replace('is invalid. ', 'is invalid: ').replace(/\.$/, ''),
    mend:
      hint === undefined
        ? `see mqb ${name === undefined ? '' : `${name} `}--help`
        : hint.replace(/^\((.*)\)$/, '$1'),
  }
}

// `-` with parameters or middlewares (`-?format=csv`) looks like an option to the parser: it is marked on the way in.
const mark = '\u0000'
const hideStdinUri = (arg: string): string => (/^-[?|#]/.test(arg) ? mark + arg : arg)
const showMark = (text: string): string => text.replaceAll(mark, '')

function showStdinUris(invocation: Invocation): Invocation {
  return invocation.command === 'copy'
    ? { ...invocation, source: showMark(invocation.source), target: showMark(invocation.target) }
    : invocation
}
