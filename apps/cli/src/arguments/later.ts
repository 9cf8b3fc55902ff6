/**
 * What other releases of mqb have and this one has not. Known here, so that whoever asks for it is told so instead
 * of being sent looking for a spelling mistake.
 */
export const laterCommands: Readonly<Record<string, string>> = {
  checkpoint: 'reading and editing resume positions',
  status: 'the table of running mqb processes',
  mcp: 'the MCP server',
  'agent-listen': 'waiting on an agent inbox',
  'to-cli': 'printing a configuration as a command',
}

/** Flag as commander declares it, and what it is for. */
export const laterOptions: readonly (readonly [flags: string, what: string])[] = [
  ['--ui', 'the web UI'],
  ['--no-ui', 'the web UI'],
  ['--report-to-ui [yes]', 'the table of running mqb processes'],
  ['--no-report-to-ui', 'the table of running mqb processes'],
]

export const laterCopyOptions: readonly (readonly [flags: string, what: string])[] = [
  ['--resume', 'resuming a copy'],
  ['--no-resume', 'resuming a copy'],
  ['--report-to-ui [yes]', 'the table of running mqb processes'],
  ['--no-report-to-ui', 'the table of running mqb processes'],
]

export const notAvailable = (name: string, what: string): string =>
  `${name} is not available in this version of mqb (${what})`
