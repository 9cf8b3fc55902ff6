import type { ErrorCodeTable } from './code-entry.ts'

/** Codes of what is found before anything opens. */
export const configCodes: ErrorCodeTable = {
  MQB_CONFIG_AMBIGUOUS: {
    kind: 'config',
    meaning: 'The file can be read in two ways: a whole configuration stands beside other keys.',
    mend: 'Move one of them, as the error says.',
  },
  MQB_CONFIG_DOTENV: {
    kind: 'log',
    meaning: 'A line of the `.env` file is no assignment and was left out.',
    mend: 'Correct it, or begin it with `#`.',
  },
  MQB_CONFIG_DUPLICATE_KEY: {
    kind: 'config',
    meaning: 'A key is set twice in the same map.',
    mend: 'Keep one of them.',
  },
  MQB_CONFIG_DUPLICATE_NAME: {
    kind: 'config',
    meaning: 'Two publishers or consumers have the same name.',
    mend: 'Rename or remove one of them.',
  },
  MQB_CONFIG_DUPLICATE_ROUTE: {
    kind: 'config',
    meaning: 'Two routes have the same name.',
    mend: 'Rename or remove one of them.',
  },
  MQB_CONFIG_ENV: {
    kind: 'config',
    meaning: 'A variable `MQB__…` fits no setting, or its value does not fit.',
    mend: 'Correct the name of the variable: the error says what it could mean.',
  },
  MQB_CONFIG_FILE: {
    kind: 'config',
    meaning: 'A configuration file, or one that it includes, cannot be read.',
    mend: 'Check the path and its permissions. Paths in `include` are relative to the file that they stand in.',
  },
  MQB_CONFIG_INVALID: {
    kind: 'config',
    meaning: 'A value is not what its field takes.',
    mend: 'Write what the error says; the page of the endpoint or middleware lists every field.',
  },
  MQB_CONFIG_LATER: {
    kind: 'config',
    meaning: 'A setting that this version does not have yet.',
    mend: 'Remove it, or write it as the error says.',
  },
  MQB_CONFIG_MISSING: {
    kind: 'config',
    meaning: 'A required field is not set.',
    mend: 'Add it: the error shows an example.',
  },
  MQB_CONFIG_NESTING: {
    kind: 'config',
    meaning: 'Endpoints are nested too deep.',
    mend: 'Move the inner ones into routes of their own, joined by `memory` endpoints.',
  },
  MQB_CONFIG_NOT_INSTALLED: {
    kind: 'config',
    meaning: 'An endpoint, middleware, store or scheme comes with a package that is not there.',
    mend: 'Install the package that the error names.',
  },
  MQB_CONFIG_NO_ANSWER: {
    kind: 'config',
    meaning: 'An answer is needed, but the endpoint can never give one.',
    mend: 'Use an endpoint that answers, or configure this one so that it does.',
  },
  MQB_CONFIG_NO_CALLER: {
    kind: 'config',
    meaning: 'The route answers, but nobody waits for an answer at its input.',
    mend: 'Use an input with callers, or another output.',
  },
  MQB_CONFIG_REF_CYCLE: {
    kind: 'config',
    meaning: 'Endpoints refer to one another in a circle.',
    mend: 'Let one of them name a real endpoint.',
  },
  MQB_CONFIG_SEVERAL_ENDPOINTS: {
    kind: 'config',
    meaning: 'One endpoint has keys of several types.',
    mend: 'Keep one of them; `fanout` writes to several outputs.',
  },
  MQB_CONFIG_SYNTAX: {
    kind: 'config',
    meaning: 'The file is not valid YAML or JSON.',
    mend: 'Correct the line that the error names.',
  },
  MQB_CONFIG_UNKNOWN_ENDPOINT: {
    kind: 'config',
    meaning: 'No endpoint has this name.',
    mend: 'Correct the spelling, or register it before the routes are loaded.',
  },
  MQB_CONFIG_UNKNOWN_KEY: {
    kind: 'config',
    meaning: 'A key that is not known in its place.',
    mend: 'Correct the spelling, or move it where the error says.',
  },
  MQB_CONFIG_UNKNOWN_MIDDLEWARE: {
    kind: 'config',
    meaning: 'No middleware has this name.',
    mend: 'Correct the spelling, or register it before the routes are loaded.',
  },
  MQB_CONFIG_UNKNOWN_REF: {
    kind: 'config',
    meaning: 'A `ref` names nothing.',
    mend: 'Correct the name, or add it to `publishers`.',
  },
  MQB_CONFIG_UNSET_VARIABLE: {
    kind: 'config',
    meaning: 'The configuration names a variable of the environment that is not set.',
    mend: 'Set it, or write a default as `${NAME:-default}`.',
  },
  MQB_CONFIG_WARNING: {
    kind: 'log',
    meaning: 'A component warns about its configuration. The route starts.',
    mend: 'Do what the line says.',
  },
  MQB_CONFIG_WRONG_SIDE: {
    kind: 'config',
    meaning: 'An endpoint, middleware or field stands on a side on which it does nothing.',
    mend: 'Move it to the other side, or remove it.',
  },
  MQB_EXPRESSION_INVALID: {
    kind: 'config',
    meaning: 'An expression has a mistake. Each one is reported, with its line and column.',
    mend: 'Correct it as the error says; `mqb eval` tries an expression out.',
  },
  MQB_NAME_TAKEN: {
    kind: 'config',
    meaning: 'Two plugins bring a part of the same name.',
    mend: 'Register only one of them, or rename one.',
  },
  MQB_PLUGIN_CONTRACT: {
    kind: 'config',
    meaning: 'A plugin was made for another version of the contracts.',
    mend: 'Install versions of the plugin and of `@mqb/core` that belong together.',
  },
  MQB_PLUGIN_FAULT: {
    kind: 'config',
    meaning: 'A plugin failed in a way that it should not while its configuration was checked.',
    mend: 'Report it to the makers of the plugin.',
  },
  MQB_PLUGIN_INVALID: {
    kind: 'config',
    meaning: 'What was registered is no proper plugin.',
    mend: 'Register what `definePlugin()` returned; the error says what is missing.',
  },
  MQB_ROUTE_NAME_TAKEN: {
    kind: 'config',
    meaning: 'A route of this name was added before.',
    mend: 'Choose another name, or remove the other route first.',
  },
  MQB_STORE_KIND: {
    kind: 'config',
    meaning: 'The scheme of a store URL does not keep what is needed.',
    mend: 'Use one of the schemes that the error lists.',
  },
  MQB_STORE_UNKNOWN: {
    kind: 'config',
    meaning: 'No store has the scheme of this URL.',
    mend: 'Correct the URL, or install the package that the error names.',
  },
  MQB_TEMPLATE_ENV_UNSET: {
    kind: 'config',
    meaning: 'A template names a variable of the environment that is not set.',
    mend: 'Set it, or remove the token.',
  },
  MQB_TEMPLATE_INVALID: {
    kind: 'config',
    meaning: 'A token of a template cannot be used.',
    mend: 'Correct it as the error says; `$${…}` writes a literal `${…}`.',
  },
  MQB_URI_INVALID: {
    kind: 'config',
    meaning: 'A URI of the command line cannot be used.',
    mend: 'Correct the part that the error names.',
  },
  MQB_URI_UNSET_VARIABLE: {
    kind: 'config',
    meaning: 'A URI names a variable of the environment that is not set.',
    mend: 'Set it; a dollar sign that is meant as such is written `%24`.',
  },
  MQB_WRONG_SIDE: {
    kind: 'config',
    meaning: 'An endpoint or middleware was opened on a side that it does not serve.',
    mend: 'Move it to the other side, or remove it.',
  },
}
