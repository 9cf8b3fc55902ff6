import type { ConfigProblem } from '@mqb/core'

/** Variables of parts that this version does not have, with what they are for and what to do instead. */
const later: Readonly<Record<string, readonly [purpose: string, mend: string]>> = {
  MQB_PLUGIN_DIR: ['finding plugins by name', 'name each plugin with --plugin or in plugins'],
  MQB_PLUGIN_DISCOVERY: ['finding plugins by name', 'name each plugin with --plugin or in plugins'],
  MQB_PLUGIN_OVERRIDE: ['putting plugins before what comes with mqb', 'remove it'],
  MQB_UI_DEFAULT_ADDR: ['the web UI', 'remove it'],
  MQB_UI_ALLOWED_HOSTS: ['the web UI', 'remove it'],
  MQB_UI_TOKEN: ['the web UI', 'remove it'],
  MQB_STATUS_SHOW_ERRORS: ['the table of running mqb processes', 'remove it'],
  MQB_CONFIG_MASTER_KEY: [
    'encrypted configuration files',
    'hand secrets over as environment variables: ${NAME}',
  ],
  MQB_AGENTS_DIR: ['agent inboxes', 'remove it'],
}

/** One warning for each variable that is set and means nothing here. Values are not looked at, nor shown. */
export function laterVariables(environment: NodeJS.ProcessEnv): ConfigProblem[] {
  return Object.entries(later)
    .filter(([name]) => (environment[name] ?? '') !== '' && !saysWhatIs(name, environment[name]))
    .map(([name, [purpose, mend]]) => ({
      severity: 'warning',
      code: 'MQB_CONFIG_LATER',
      where: name,
      what: `${name} has no effect in this version of mqb (${purpose})`,
      mend,
    }))
}

/** Nothing is looked for by name here, which is what this switch asks for. */
const saysWhatIs = (name: string, value: string | undefined): boolean =>
  name === 'MQB_PLUGIN_DISCOVERY' && value === '0'
