import * as z from 'zod'

// Ports go up to 65535. Nothing before the colon is every interface.
const address = z.union([
  z.literal(''),
  z
    .string()
    .regex(
      /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]*):(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/,
      'expected an address as host:port',
    ),
])

/** The settings of the app beside routes, consumers and publishers: types, defaults and texts stand here only. */
export const appSettingsSchema = z.strictObject({
  log_level: z
    .string()
    .min(1)
    .default('info')
    .meta({
      description:
        'What is logged: a level (error, warn, info, debug, trace) or directives such as warn,core=debug.',
      examples: ['info', 'warn,core=debug'],
    }),
  logger: z
    .union([z.literal(''), z.enum(['plain', 'json'])])
    .default('')
    .meta({
      description: 'Form of the log lines: plain text, or one JSON object a line.',
      examples: ['json'],
    }),
  ui_addr: address.default('').meta({ description: 'Address of the web UI.', examples: ['127.0.0.1:9091'] }),
  metrics_addr: address.default('').meta({
    description: 'Address at which metrics are served.',
    examples: ['127.0.0.1:9090'],
  }),
  plugins: z
    .array(z.string().min(1))
    .default([])
    .meta({
      description: 'Plugins to load before anything else: package names, or paths relative to this file.',
      examples: [['mqb-plugin-example', './plugins/own.js']],
    }),
  env_vars: z
    .record(z.string(), z.string())
    .default({})
    .meta({
      description: 'Values for placeholders; the environment wins over them.',
      examples: [{ ENVIRONMENT: 'test' }],
    }),
  include: z
    .array(z.string().min(1))
    .default([])
    .meta({
      description: 'Files, or patterns of files, that are read before this one; relative to it.',
      examples: [['routes/*.yaml']],
    }),
  config_security: z
    .strictObject({ mode: z.enum(['unencrypted', 'balanced', 'encrypted']).default('unencrypted') })
    .default({ mode: 'unencrypted' })
    .meta({ description: 'How secrets are kept when the configuration is saved.' }),
  extract_secrets: z.boolean().default(false).meta({ description: 'Older form of config_security.' }),
  history: z.record(z.string(), z.unknown()).default({}).meta({ description: 'Kept by the web UI.' }),
  default_tab: z.string().default('').meta({ description: 'Kept by the web UI.' }),
})

export type AppSettings = z.output<typeof appSettingsSchema>

/** Settings of parts that this version does not have: known, and said so once. */
export const laterSettings: Readonly<
  Record<
    string,
    {
      readonly isSet: (value: unknown) => boolean
      readonly severity: 'error' | 'warning'
      readonly what: string
      readonly mend: string
    }
  >
> = {
  ui_addr: {
    isSet: value => value !== '',
    severity: 'error',
    what: 'ui_addr cannot be honoured: this version has no web UI',
    mend: 'remove it',
  },
  config_security: {
    isSet: value => (value as AppSettings['config_security']).mode !== 'unencrypted',
    severity: 'error',
    what: 'this version cannot keep secrets encrypted in a configuration file',
    mend: 'remove config_security, and hand secrets over as environment variables: ${NAME}',
  },
  extract_secrets: {
    isSet: value => value === true,
    severity: 'error',
    what: 'this version cannot move secrets out of a configuration file',
    mend: 'remove extract_secrets, and hand secrets over as environment variables: ${NAME}',
  },
  history: {
    isSet: value => Object.keys(value as object).length > 0,
    severity: 'warning',
    what: 'history has no effect: this version has no web UI',
    mend: 'remove it',
  },
  default_tab: {
    isSet: value => value !== '',
    severity: 'warning',
    what: 'default_tab has no effect: this version has no web UI',
    mend: 'remove it',
  },
}
