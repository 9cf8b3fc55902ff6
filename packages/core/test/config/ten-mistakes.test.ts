import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatReport, loadConfig } from '../../src/config/index.ts'
import { testRegistry } from './support/plugins.ts'

const file = `log_level: info
log_level: debug
publishers:
  first: { ref: second }
  second: { ref: first }
routes:
  orders:
    batch_size: 100
    input:
      nats:
        url: "\${NATS_URL}"
        subject: orders.*
        tls:
          requird: true
      middlewares:
        - retry: { max_attempts: 3 }
        - deduplication:
            ttl_seconds: 60
            key: "\${payload:id"
    output:
      kafka: { topic: orders }
  copies:
    input: { memory: { topic: a, capacity: many } }
    output: { file: { path: out.jsonl } }
  # the tab
  last:
\t  input: { memory: { topic: b } }
`

describe('a file with ten mistakes', () => {
  it('gives ten findings in the order of the file, each with its line and column', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'mqb-config-'))
    writeFileSync(join(cwd, 'bridge.yaml'), file)
    const { problems } = loadConfig({
      file: 'bridge.yaml',
      cwd,
      env: { MQB__ORDERS__BATCH_SIZE: 'lots' },
      registry: testRegistry(),
    })
    expect(formatReport(problems)).toMatchInlineSnapshot(`
      "MQB_CONFIG_DUPLICATE_KEY (bridge.yaml:2:1)
        the key log_level is set twice in the same map
        keep one of them

      MQB_CONFIG_REF_CYCLE publishers.first (bridge.yaml:4:3)
        these endpoints refer to one another in a circle: first -> second -> first
        let one of them name a real endpoint

      MQB_CONFIG_INVALID MQB__ORDERS__BATCH_SIZE (bridge.yaml:8:17)
        expected a number, got a text
        for example: batch_size: 1024

      MQB_CONFIG_UNSET_VARIABLE orders.input.nats.url (bridge.yaml:11:14)
        the environment variable NATS_URL is not set
        set NATS_URL (or NATS_URL_FILE to the path of a file that holds the value), or give a default: \${NATS_URL:-…}; for the text itself write $\${NATS_URL}

      MQB_CONFIG_UNKNOWN_KEY orders.input.nats.tls.requird (bridge.yaml:14:11)
        the key "requird" is not known here
        did you mean "required"?

      MQB_CONFIG_WRONG_SIDE orders.input.middlewares[0].retry (bridge.yaml:16:11)
        retry works on outputs only, this is an input
        move it into the middlewares of the output

      MQB_TEMPLATE_INVALID orders.input.middlewares[1].deduplication.key (bridge.yaml:19:18)
        the token \${payload:id can not be used: it is never closed
        add the closing }

      MQB_CONFIG_NOT_INSTALLED orders.output.kafka (bridge.yaml:21:7)
        the endpoint kafka comes with the package @mqb/kafka, which is not installed
        npm install @mqb/kafka

      MQB_CONFIG_INVALID copies.input.memory.capacity (bridge.yaml:23:44)
        expected a number, got the text "many"
        for example: capacity: 100

      MQB_CONFIG_SYNTAX (bridge.yaml:27:1)
        this is not valid YAML: tabs are not allowed as indentation
        indent with spaces"
    `)
    expect(problems).toHaveLength(10)
  })
})
