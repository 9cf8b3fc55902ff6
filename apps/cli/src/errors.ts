import type { ErrorCodeTable } from '@mqb/core'

/** Every code of the command itself. */
export const errorCodes: ErrorCodeTable = {
  MQB_BANNER: {
    kind: 'log',
    meaning: 'The first line: versions, and what was loaded from where.',
    mend: 'Nothing.',
  },
  MQB_FORCED: {
    kind: 'log',
    meaning: 'A second signal came: what is in flight is abandoned and comes again.',
    mend: 'Wait longer after the first signal where this matters.',
  },
  MQB_LOG_LEVEL: {
    kind: 'config',
    meaning: 'A log level is none.',
    mend: 'Write a level, or levels for parts: `warn,core=debug`.',
  },
  MQB_METRICS_ADDRESS: {
    kind: 'log',
    meaning: 'The address for metrics cannot be used. The routes run without them.',
    mend: 'Choose another one with `--metrics-addr`, or `--no-metrics`.',
  },
  MQB_METRICS_SERVED: {
    kind: 'log',
    meaning: 'Metrics can be read at the address of this line.',
    mend: 'Nothing.',
  },
  MQB_NOTHING_CONFIGURED: {
    kind: 'log',
    meaning: 'No route is there or enabled. The process waits for its signal.',
    mend: 'Add a route, or check which configuration file was read.',
  },
  MQB_NOTHING_STARTED: {
    kind: 'log',
    meaning: 'No route could start. The process ends with code 1.',
    mend: 'Look at the lines before it: each route says why.',
  },
  MQB_NO_RELOAD: {
    kind: 'log',
    meaning: 'SIGHUP came, but this version cannot reload its configuration.',
    mend: 'Restart it to change the configuration.',
  },
  MQB_PLUGIN_LOAD: {
    kind: 'config',
    meaning: 'A plugin that was asked for cannot be loaded.',
    mend: 'Install it, or correct its path: the error says where it was looked for.',
  },
  MQB_ROUTES_ENDED: {
    kind: 'log',
    meaning: 'Every route has come to its end by itself. The process waits for its signal.',
    mend: 'Nothing.',
  },
  MQB_ROUTES_STARTED: {
    kind: 'log',
    meaning: 'How many routes have started.',
    mend: 'Where some have not: look at the lines before it.',
  },
  MQB_STOPPED: {
    kind: 'log',
    meaning: 'Everything is closed; the process ends.',
    mend: 'Nothing.',
  },
  MQB_STOPPING: {
    kind: 'log',
    meaning: 'A signal came: what is in flight is finished, then everything closes.',
    mend: 'Nothing.',
  },
  MQB_USAGE: {
    kind: 'config',
    meaning: 'An argument of the command cannot be used.',
    mend: 'Correct it as the error says; `mqb --help` lists all.',
  },
}
