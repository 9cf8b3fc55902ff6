import { describe, expect, it } from 'vitest'
import { formatReport } from '../../src/config/index.ts'
import { load } from './support/workspace.ts'

/** What people get wrong, and every word that they get to read. */
const mistakes: readonly [string, string, Record<string, string>?][] = [
  ['a misspelt field', 'a: { input: { memory: { topik: x } } }'],
  ['a misspelt endpoint', 'a: { input: { memroy: { topic: x } } }'],
  ['a misspelt middleware', 'a: { input: { memory: { topic: x }, middlewares: [{ dedup: {} }] } }'],
  ['a misspelt option', 'routes: { a: { input: { memory: { topic: x } }, batchsize: 10 } }'],
  ['a field that slipped out of its endpoint', 'a:\n  input:\n    memory:\n    topic: x\n'],
  [
    'middlewares beside the endpoints',
    'a:\n  input: { memory: { topic: x } }\n  middlewares: [{ retry: {} }]\n',
  ],
  [
    'middlewares as a map',
    'a: { input: { memory: { topic: x } }, output: { memory: { topic: y }, middlewares: { retry: { max_attempts: 3 } } } }',
  ],
  [
    'fields beside the middleware',
    'a:\n  input: { memory: { topic: x } }\n  output:\n    memory: { topic: y }\n    middlewares:\n      - retry:\n        max_attempts: 3\n',
  ],
  ['retry on an input', 'a: { input: { memory: { topic: x }, middlewares: [{ retry: {} }] } }'],
  [
    'a list of outputs',
    'a:\n  input: { memory: { topic: x } }\n  output:\n    - memory: { topic: y }\n    - memory: { topic: z }\n',
  ],
  [
    'two outputs in a map',
    'a:\n  input: { memory: { topic: x } }\n  output:\n    memory: { topic: y }\n    file: { path: z }\n',
  ],
  ['fields without their endpoint', 'a: { input: { path: x, format: raw } }'],
  ['a key that speaks to the terminal', 'a: { input: { memory: { topic: x } }, "\\e[2Jclear": 1 }'],
  ['a URI for an endpoint', 'a: { input: "file:orders.csv" }'],
  ['a number in quotes', 'a: { input: { memory: { topic: x, capacity: "10" } } }'],
  ['yes for true', 'a: { input: { memory: { topic: x } }, exit_on_empty: yes }'],
  ['a text for a list', 'a: { input: { nats: { url: nats://h, subject: s, servers: other } } }'],
  ['a value that is none of a list', 'a: { input: { file: { path: x, format: CSV } } }'],
  ['a number out of range', 'a: { input: { memory: { topic: x } }, batch_size: 0, concurrency: 5000 }'],
  ['a package that is not installed', 'a: { input: { kafka: { topic: x } } }'],
  ['an unset variable', 'a: { input: { nats: { url: nats://h, subject: s, token: "${NATS_TOKEN}" } } }'],
  ['a tab for indentation', 'a:\n\tinput: { memory: { topic: x } }\n'],
  ['a quote that is not closed', 'a:\n  input: { memory: { topic: "x } }\n'],
  ['a placeholder without quotes in braces', 'a: { input: { memory: { topic: ${TOPIC}, capacity: 1 } } }'],
  [
    'a template with an unset variable',
    'a: { input: { memory: { topic: x }, middlewares: [{ deduplication: { ttl_seconds: 1, key: "${env:NOPE}" } }] } }',
  ],
  ['a colon in a text without quotes', 'a:\n  input: { memory: { topic: x } }\n  description: note: this\n'],
  ['an alias for nothing', 'a: { input: *in }'],
  ['a setting of another version', 'config_security: { mode: encrypted }'],
  ['the same key twice', 'a:\n  input: { memory: { topic: x } }\n  batch_size: 1\n  batch_size: 2\n'],
  [
    'a field of the other side',
    'a: { input: { memory: { topic: x } }, output: { nats: { url: nats://h, subject: s, ack_wait_ms: 5 } } }',
  ],
  [
    'a template that is not closed',
    'a: { input: { memory: { topic: x }, middlewares: [{ deduplication: { ttl_seconds: 1, key: "${payload:id" } }] } }',
  ],
  ['null with a configuration', 'a: { input: { memory: { topic: x } }, output: { null: {} } }'],
  ['nothing as an input', 'a: { input: , output: { memory: { topic: x } } }'],
  ['no input', 'routes: { a: { output: { memory: { topic: x } } } }'],
  ['a secret of the wrong type', 'a: { input: { nats: { url: nats://h, subject: s, token: [s3cr3t] } } }'],
  ['an endpoint without its fields', 'a: { input: { file: } }'],
  [
    'a ref to nowhere',
    'publishers: { store: { file: { path: x } } }\na: { input: { memory: { topic: x } }, output: { ref: stor } }',
  ],
  ['an answer to nobody', 'a: { input: { memory: { topic: x } }, output: { response: } }'],
  [
    'a middleware that needs fields, by name alone',
    'a: { input: { memory: { topic: x }, middlewares: [deduplication] } }',
  ],
  [
    'a path of one list in another',
    'a: { input: { memory: { topic: x } }, output: { fanout: [{ fil: { path: y } }, { memory: {} }] } }',
  ],
  ['a variable for nothing', 'a: { input: { memory: { topic: x } } }', { MQB__A__INPUT__MEMORY__TOPIK: 'y' }],
]

describe('the report about a mistake', () => {
  it.each(mistakes)('%s', (_, text, env = {}) => {
    const report = formatReport(load({ 'config.yml': text }, { env }).problems)
    expect(report).toMatchSnapshot()
    expect(report).not.toContain('s3cr3t')
  })
})
