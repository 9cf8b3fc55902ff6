import { describe, expect, it } from 'vitest'
import { checkConfig, loadConfig, readConfig } from '../../src/config/index.ts'
import { testRegistry } from './support/plugins.ts'
import { configOf, errorsOf, folderWith, load } from './support/workspace.ts'

const route = 'input: { memory: { topic: a } }'

describe('the shapes of a file', () => {
  const bodies = [
    [
      'a full configuration',
      'log_level: warn\nroutes:\n  route:\n    input: { memory: { topic: a } }\n    batch_size: 7\n',
    ],
    ['routes at the top', 'log_level: warn\nroute:\n  input: { memory: { topic: a } }\n  batch_size: 7\n'],
    ['one bare route', 'log_level: warn\ninput: { memory: { topic: a } }\nbatch_size: 7\n'],
    [
      'an export',
      'config:\n  log_level: warn\n  routes:\n    route: { input: { memory: { topic: a } }, batch_size: 7 }\n',
    ],
  ] as const

  it.each(bodies)('take %s', (_, text) => {
    const config = load({ 'config.yml': text })
    expect(errorsOf(config)).toEqual([])
    expect(config.settings.log_level).toBe('warn')
    expect(config.routes).toMatchObject([
      { name: 'route', options: { batch_size: 7 }, output: { kind: 'null' } },
    ])
  })

  it('take JSON', () => {
    const config = load(
      { 'a.json': '{"routes":{"a":{"input":{"memory":{"topic":"a"}}}}}' },
      { file: 'a.json' },
    )
    expect(config.routes.map(plan => plan.name)).toEqual(['a'])
  })

  it('take a library document with a map of publishers', () => {
    const config = load({
      'config.yml': `publishers: { out: { file: { path: x } } }\nroutes: { a: { ${route}, output: { ref: out } } }`,
    })
    expect(errorsOf(config)).toEqual([])
    expect(config.routes[0]?.output.kind).toBe('file')
    expect([...config.publishers.keys()]).toEqual(['out'])
  })

  it('name an option that a bare route does not have', () => {
    expect(errorsOf(load({ 'config.yml': `${route}\nbatch_sise: 7\n` }))).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_UNKNOWN_KEY batch_sise (config.yml:2:1): the key "batch_sise" is neither an option of a route nor a setting of the app; did you mean "batch_size"?",
      ]
    `)
  })

  it('refuse config beside other keys', () => {
    expect(
      errorsOf(load({ 'config.yml': 'config: { routes: {} }\nlog_level: info\n' })),
    ).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_AMBIGUOUS config (config.yml:1:1): "config" holds a whole configuration, but stands beside other keys: log_level; move what is in it one level up, or the other keys into it",
      ]
    `)
  })

  it('may be empty, or not there', () => {
    expect(load({ 'config.yml': '' }).problems).toEqual([])
    expect(load({ 'config.yml': '# nothing\n' }).routes).toEqual([])
    expect(load({}).problems).toEqual([])
  })

  it('refuse a file that was named and is not there', () => {
    expect(errorsOf(load({}, { file: 'nope.yml' }))).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_FILE nope.yml: there is no such configuration file; check the path given by --config",
      ]
    `)
    expect(errorsOf(load({}, { env: { CONFIG_FILE: 'nope.yml' } }))).toHaveLength(1)
  })

  it('refuse the same route in both places', () => {
    expect(
      errorsOf(load({ 'config.yml': `a: { ${route} }\nroutes: { a: { ${route} } }` })),
    ).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_DUPLICATE_ROUTE routes.a (config.yml:2:11): there are two routes named "a"; rename or remove one of them",
      ]
    `)
  })
})

describe('precedence', () => {
  const files = { 'config.yml': `a: { input: { memory: { topic: file, capacity: 1 } }, batch_size: 1 }\n` }

  it('is file, then override text, then environment', () => {
    const text = 'routes: { a: { batch_size: 2, input: { memory: { topic: text } } } }'
    expect(configOf(load(files), 'a', 'input')).toEqual({ topic: 'file', capacity: 1 })
    const laid = load(files, { text })
    expect(configOf(laid, 'a', 'input')).toEqual({ topic: 'text', capacity: 1 })
    const set = load(files, { text, env: { MQB__A__BATCH_SIZE: '3', CONFIG_STRING: 'log_level: debug' } })
    expect(set.routes[0]?.options.batch_size).toBe(3)
    expect(set.settings.log_level).toBe('info')
    expect(load(files, { env: { CONFIG_STRING: 'log_level: debug' } }).settings.log_level).toBe('debug')
  })

  it('uses the init template only while there is no file', () => {
    const init = { 'init.yml': `b: { ${route} }` }
    expect(load({ ...files, ...init }, { initFile: 'init.yml' }).routes.map(plan => plan.name)).toEqual(['a'])
    expect(load(init, { initFile: 'init.yml' }).routes.map(plan => plan.name)).toEqual(['b'])
    expect(
      load(init, { initFile: 'init.yml', initText: `c: { ${route} }` }).routes.map(plan => plan.name),
    ).toEqual(['b'])
    expect(load({}, { initText: `c: { ${route} }` }).routes.map(plan => plan.name)).toEqual(['c'])
  })

  it('warns about an init template that is not there', () => {
    expect(load({}, { initFile: 'init.yml' }).problems).toMatchObject([
      { severity: 'warning', where: 'init.yml' },
    ])
  })

  it('lets .env fill in what is not set, and never beat the environment', () => {
    const config = load(
      {
        '.env': `A=from file\nexport B="two\\nlines" # note\nC='$A'\n# comment\nD=x # y\n\nE=\n`,
        'config.yml':
          'a: { input: { memory: { topic: "${A}" } }, output: { file: { path: x, headers: { b: "${B}", c: "${C}", d: "${D}", e: "${E}" } } } }',
      },
      { env: { A: 'real' } },
    )
    expect(configOf(config, 'a', 'input').topic).toBe('real')
    expect(configOf(config, 'a', 'output').headers).toEqual({ b: 'two\nlines', c: '$A', d: 'x', e: '' })
  })

  it('warns about a line of .env that is none', () => {
    expect(load({ '.env': 'A=1\nwhat is this\nB=2\n' }).problems).toMatchObject([
      { severity: 'warning', code: 'MQB_CONFIG_DOTENV', file: '.env', line: 2 },
    ])
  })
})

describe('placeholders', () => {
  const output = (headers: string) => ({
    'config.yml': `a:\n  input: { memory: { topic: a } }\n  output:\n    file:\n      path: x\n      headers:\n${headers}`,
  })

  it('carry values byte for byte, once, and never as structure', () => {
    const env = { P: 'a$b#c: "d" ${HOME} %41', Q: 'x\ninjected: true', HOME: '/root' }
    const config = load(
      output(
        '        x-p: "${P}"\n        x-q: ${Q}\n        x-l: "$${P}"\n        x-w: $P\n        x-d: "${R:-d e}"\n',
      ),
      { env },
    )
    expect(configOf(config, 'a', 'output').headers).toEqual({
      'x-p': env.P,
      'x-q': env.Q,
      'x-l': '${P}',
      'x-w': env.P,
      'x-d': 'd e',
    })
  })

  it('name an unset variable and its place', () => {
    expect(errorsOf(load(output('        x-r: "${R}"\n        x-s: $S\n')))).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_UNSET_VARIABLE a.output.file.headers.x-r (config.yml:7:14): the environment variable R is not set; set R (or R_FILE to the path of a file that holds the value), or give a default: \${R:-…}; for the text itself write $\${R}",
        "MQB_CONFIG_UNSET_VARIABLE a.output.file.headers.x-s (config.yml:8:14): the environment variable S is not set; set S (or S_FILE to the path of a file that holds the value), or give a default: \${S:-…}; for the text itself write \${TEXT:-$S}",
      ]
    `)
  })

  it('leave tokens with a colon and a dollar within a text to the field', () => {
    const config = load(output('        a: "${payload:x} $${payload:y} ${nope:z}"\n        b: pa$HOME\n'), {
      env: { HOME: 'x' },
    })
    expect(configOf(config, 'a', 'output').headers).toEqual({
      a: '${payload:x} $${payload:y} ${nope:z}',
      b: 'pa$HOME',
    })
  })

  it('resolve side by side with those of templates', () => {
    const config = load(
      {
        'config.yml':
          'a: { input: { memory: { topic: a }, middlewares: [{ deduplication: { ttl_seconds: 1, key: "${V:-x}-${env:W}-$${payload:x}" } }] } }',
      },
      { env: { W: 'w' } },
    )
    expect(errorsOf(config)).toEqual([])
    expect(config.routes[0]?.input.middlewares[0]?.config).toMatchObject({
      key: { isConstant: true, prefix: 'x-w-${payload:x}' },
    })
  })

  it('read a value from a file, less one final newline', () => {
    const cwd = folderWith({
      secret: 'line one\nline "two"\n\n',
      'config.yml': output('        x: ${S}\n')['config.yml'],
    })
    const config = loadConfig({ cwd, env: { S_FILE: `${cwd}/secret` }, registry: testRegistry() })
    expect(configOf(config, 'a', 'output').headers).toEqual({ x: 'line one\nline "two"\n' })
    expect(config.secrets).toContain('line one\nline "two"\n')
    const gone = loadConfig({ cwd, env: { S_FILE: `${cwd}/gone` }, registry: testRegistry() })
    expect(errorsOf(gone)).toEqual([expect.stringContaining('the file that S_FILE names cannot be read')])
  })

  it('become numbers and truth values where the field wants them, and stay text elsewhere', () => {
    const text =
      'a: { input: { memory: { topic: $N, capacity: $N } }, batch_size: $N, exit_on_empty: "${T}" }'
    const config = load({ 'config.yml': text }, { env: { N: '007', T: 'true' } })
    expect(errorsOf(config)).toEqual([])
    expect(configOf(config, 'a', 'input')).toEqual({ topic: '007', capacity: 7 })
    expect(config.routes[0]?.options).toMatchObject({ batch_size: 7, exit_on_empty: true })
  })

  it('take values from env_vars, which the environment beats', () => {
    const text = 'env_vars: { A: one, B: 0123 }\na: { input: { memory: { topic: "${A}-${B}" } } }'
    expect(configOf(load({ 'config.yml': text }), 'a', 'input').topic).toBe('one-0123')
    expect(configOf(load({ 'config.yml': text }, { env: { A: 'two' } }), 'a', 'input').topic).toBe('two-0123')
  })

  it('may be unset where something else replaces them', () => {
    const text = 'a: { input: { memory: { topic: "${UNSET}" } } }'
    expect(
      configOf(load({ 'config.yml': text }, { text: 'a: { input: { memory: { topic: b } } }' }), 'a', 'input')
        .topic,
    ).toBe('b')
  })
})

describe('YAML scalars', () => {
  it('keep their characters where the schema wants text', () => {
    const config = load({
      'config.yml':
        'a: { input: { memory: { topic: 0123 } }, output: { file: { path: 1e3, headers: { a: no, b: 0123, c: 1.0, d: true, e: 0x1F } } } }',
    })
    expect(errorsOf(config)).toEqual([])
    expect(configOf(config, 'a', 'input').topic).toBe('0123')
    expect(configOf(config, 'a', 'output')).toMatchObject({
      path: '1e3',
      headers: { a: 'no', b: '0123', c: '1.0', d: 'true', e: '0x1F' },
    })
  })

  it('of aliases are copies', () => {
    const config = load({
      'config.yml': `a:\n  input: &in { memory: { topic: a } }\nb:\n  input: *in\n`,
    })
    expect(config.routes.map(plan => plan.input.path)).toEqual(['a.input.memory', 'b.input.memory'])
  })
})

describe('environment overrides', () => {
  const files = {
    'config.yml':
      'kafka-to-nats:\n  input: { nats: { url: nats://h, subject: orders } }\n  output: { file: { path: x, headers: { a: b } } }\npublishers: [{ name: out, id: "7", endpoint: { file: { path: y } } }]\nconsumers: [{ name: in, endpoint: { memory: { topic: z } } }]\n',
  }

  it.each<[string, Record<string, string>, 'input' | 'output', Record<string, unknown>]>([
    [
      'a text, which stays one',
      { MQB__KAFKA_TO_NATS__INPUT__NATS__SUBJECT: '007' },
      'input',
      { subject: '007' },
    ],
    [
      'with routes in front',
      { MQB__ROUTES__KAFKA_TO_NATS__INPUT__NATS__SUBJECT: 'x' },
      'input',
      { subject: 'x' },
    ],
    ['in any case', { MQB__Kafka_To_Nats__input__nats__subject: 'x' }, 'input', { subject: 'x' }],
    ['a number', { MQB__KAFKA_TO_NATS__INPUT__NATS__ACK_WAIT_MS: '5' }, 'input', { ack_wait_ms: 5 }],
    [
      'a list as JSON',
      { MQB__KAFKA_TO_NATS__INPUT__NATS__SERVERS: '["a","b"]' },
      'input',
      { servers: ['a', 'b'] },
    ],
    [
      'a block that is not there yet',
      { MQB__KAFKA_TO_NATS__INPUT__NATS__TLS__REQUIRED: 'true' },
      'input',
      { tls: { required: true, accept_invalid_certs: false } },
    ],
    [
      'a map as JSON',
      { MQB__KAFKA_TO_NATS__INPUT__NATS__TLS: '{"required":true}' },
      'input',
      { tls: { required: true, accept_invalid_certs: false } },
    ],
    [
      'an entry of a free map',
      { MQB__KAFKA_TO_NATS__OUTPUT__FILE__HEADERS__X: '1' },
      'output',
      { headers: { a: 'b', x: '1' } },
    ],
    ['a whole endpoint', { MQB__KAFKA_TO_NATS__OUTPUT: '{"file":{"path":"z"}}' }, 'output', { path: 'z' }],
    ['nothing when it is empty', { MQB__KAFKA_TO_NATS__OUTPUT__FILE__PATH: '' }, 'output', { path: 'x' }],
    [
      'a value with a dollar, as it is',
      { MQB__KAFKA_TO_NATS__OUTPUT__FILE__PATH: '${HOME}$A' },
      'output',
      { path: '${HOME}$A' },
    ],
  ])('set %s', (_, env, side, expected) => {
    const config = load(files, { env })
    expect(errorsOf(config)).toEqual([])
    expect(configOf(config, 'kafka-to-nats', side)).toMatchObject(expected)
  })

  it('set app settings, publishers and consumers', () => {
    const env = {
      MQB__METRICS_ADDR: '127.0.0.1:9999',
      MQB__LOG_LEVEL: 'debug',
      MQB__PLUGINS: '["a"]',
      MQB__PUBLISHERS__OUT__FILE__PATH: 'p',
      MQB__CONSUMERS__IN__MEMORY__TOPIC: 'c',
    }
    const config = load(files, { env })
    expect(errorsOf(config)).toEqual([])
    expect(config.settings).toMatchObject({ metrics_addr: '127.0.0.1:9999', log_level: 'debug' })
    expect(config.publishers.get('out')?.config).toMatchObject({ path: 'p' })
    expect(configOf(config, 'in', 'input').topic).toBe('c')
  })

  it.each([
    ['nothing that exists', { MQB__KAFKA_TO_NATS__INPUT__NATS__SUBJET: 'x' }],
    ['no route of that name', { MQB__ORDERS__BATCH_SIZE: '1' }],
    ['an entry of a list', { MQB__KAFKA_TO_NATS__INPUT__NATS__SERVERS__0: 'a' }],
    ['a middleware', { MQB__KAFKA_TO_NATS__INPUT__MIDDLEWARES__0__RETRY__MAX_ATTEMPTS: '1' }],
    ['the wrong type', { MQB__KAFKA_TO_NATS__BATCH_SIZE: 'many' }],
    ['broken JSON', { MQB__KAFKA_TO_NATS__INPUT__NATS__SERVERS: '["a"' }],
    ['a second endpoint', { MQB__KAFKA_TO_NATS__OUTPUT__MEMORY__TOPIC: 'a' }],
  ])('are refused for %s', (_, env) => {
    expect(errorsOf(load(files, { env }))).toMatchSnapshot()
  })

  it('are refused when the name fits two routes', () => {
    const config = load(
      { 'config.yml': `a-b: { ${route} }\na_b: { ${route} }\n` },
      { env: { MQB__A_B__BATCH_SIZE: '1' } },
    )
    expect(errorsOf(config)).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_ENV MQB__A_B__BATCH_SIZE: the name fits several settings: a-b.batch_size, a_b.batch_size; rename one of them, or set it in the file",
      ]
    `)
  })
})

describe('include', () => {
  it('reads files before this one, relative to it', () => {
    const config = load({
      'config.yml':
        'include: ["conf/*.yml", extra.yml]\nlog_level: warn\nc: { input: { memory: { topic: c } } }',
      'conf/a.yml': 'log_level: debug\nmetrics_addr: 127.0.0.1:1\na: { input: { memory: { topic: a } } }',
      'conf/b.yml': 'include: [deep/x.yml]\nb: { input: { memory: { topic: b } } }',
      'conf/deep/x.yml': 'x: { input: { memory: { topic: x } } }',
      'extra.yml': 'e: { input: { memory: { topic: e } } }',
    })
    expect(errorsOf(config)).toEqual([])
    expect(config.settings).toMatchObject({ log_level: 'warn', metrics_addr: '127.0.0.1:1' })
    expect(config.routes.map(plan => plan.name)).toEqual(['a', 'x', 'b', 'e', 'c'])
    expect(config.files).toEqual(['conf/a.yml', 'conf/deep/x.yml', 'conf/b.yml', 'extra.yml', 'config.yml'])
  })

  it('refuses circles, missing files, a route twice, and more than five levels', () => {
    expect(
      errorsOf(load({ 'config.yml': 'include: [a.yml]', 'a.yml': 'include: [config.yml]' })),
    ).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_FILE include[0] (a.yml:1:11): these files include one another in a circle: config.yml -> a.yml -> config.yml; remove one of the entries",
      ]
    `)
    expect(errorsOf(load({ 'config.yml': 'include: [a.yml]' }))).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_FILE include[0] (config.yml:1:11): there is no file "a.yml" beside config.yml; paths in "include" are relative to the file that they stand in",
      ]
    `)
    expect(
      errorsOf(load({ 'config.yml': `include: [a.yml]\nr: { ${route} }`, 'a.yml': `r: { ${route} }` })),
    ).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_DUPLICATE_ROUTE routes.r (config.yml:2:1): there are two routes named "r"; rename or remove one of them",
      ]
    `)
    const chain = Object.fromEntries(
      [0, 1, 2, 3, 4, 5, 6].map(level => [`${level}.yml`, `include: [${level + 1}.yml]`]),
    )
    expect(errorsOf(load({ ...chain, '7.yml': '', 'config.yml': 'include: [0.yml]' }))).toEqual([
      expect.stringContaining('more than 5 levels deep'),
    ])
  })
})

describe('consumers and publishers', () => {
  it('become routes and named outputs', () => {
    const config = load({
      'config.yml': `
publishers:
  - { id: "17", name: store, endpoint: { file: { path: x } } }
consumers:
  - { name: one, endpoint: { memory: { topic: a } }, batch_size: 3 }
  - { name: two, endpoint: { memory: { topic: b } }, output: { mode: publisher, publisher: store } }
  - { id: three, endpoint: { http: { url: "http://h" } }, output: { mode: response } }
  - { name: four, endpoint: { memory: { topic: c } }, output: { mode: publisher, publisher_id: "17" }, enabled: false }
`,
    })
    expect(errorsOf(config)).toEqual([])
    expect(config.routes.map(plan => [plan.name, plan.output.kind, plan.options.enabled])).toEqual([
      ['one', 'null', true],
      ['two', 'file', true],
      ['three', 'response', true],
      ['four', 'file', false],
    ])
    expect(config.routes[0]?.options.batch_size).toBe(3)
  })

  it('are checked like everything else', () => {
    const config = load({
      'config.yml': `
publishers:
  - { name: store, endpoint: { file: { path: x } } }
  - { name: store, endpoint: { file: { path: y } } }
  - { nam: other, endpoint: null }
consumers:
  - { name: one, endpont: { memory: { topic: a } } }
  - { name: two, endpoint: { memory: { topic: b } }, output: { mode: publishr } }
  - { name: three, endpoint: { memory: { topic: b } }, output: { mode: publisher, publisher: stor } }
  - { name: four, endpoint: { memory: { topic: b } }, message_capture: { enabled: true } }
`,
    })
    expect(errorsOf(config)).toMatchSnapshot()
  })
})

describe('what is loaded', () => {
  it('lists plugins before anything is planned, paths relative to the file', () => {
    const cwd = folderWith({ 'conf/main.yml': 'plugins: [mqb-plugin-x, ./own.js, "${DIR}/p.js"]' })
    expect(readConfig({ cwd, file: 'conf/main.yml', env: { DIR: '/opt' } }).plugins).toEqual([
      'mqb-plugin-x',
      `${cwd}/conf/own.js`,
      '/opt/p.js',
    ])
  })

  it('knows its secrets', () => {
    const config = load(
      {
        'config.yml':
          'a:\n  input: { nats: { url: "nats://u:url-pass@h", subject: s, token: tok-en, tls: { cert_password: cert-pass } } }\n  output: { fanout: [{ sqlx: { url: "postgres://h", password: 0042 } }, { file: { path: "${DB_PASSWORD}" } }] }\n',
      },
      { env: { DB_PASSWORD: 'from env' } },
    )
    expect(errorsOf(config)).toEqual([])
    expect([...config.secrets].sort()).toEqual(['0042', 'cert-pass', 'from env', 'tok-en', 'url-pass'])
  })

  it('says in one line what this version does not have', () => {
    const config = load({
      'config.yml': 'ui_addr: 127.0.0.1:1\nconfig_security: { mode: encrypted }\ndefault_tab: x\n',
    })
    expect(
      config.problems.map(({ severity, where, what }) => `${severity} ${where}: ${what}`),
    ).toMatchInlineSnapshot(`
      [
        "error ui_addr: ui_addr cannot be honoured: this version has no web UI",
        "error config_security: this version cannot keep secrets encrypted in a configuration file",
        "warning default_tab: default_tab has no effect: this version has no web UI",
      ]
    `)
  })

  it('is checked further by its endpoints and middlewares', async () => {
    const registry = testRegistry()
    const file = registry.endpoint('file')!
    Object.assign(file, {
      prepare(
        _: unknown,
        context: { warn(what: string, mend?: string): void; middlewares: readonly string[] },
      ) {
        context.warn(`beside ${context.middlewares.join()}`, 'look')
        throw new Error('no such folder')
      },
    })
    const config = loadConfig({
      cwd: folderWith({
        'config.yml': `a:\n  ${route}\n  output: { file: { path: x }, middlewares: [metrics] }\n`,
      }),
      env: {},
      registry,
    })
    expect(config.problems).toEqual([])
    expect(await checkConfig(config)).toMatchObject([
      {
        severity: 'warning',
        code: 'MQB_CONFIG_WARNING',
        where: 'a.output.file',
        what: 'beside metrics',
        line: 3,
      },
      { severity: 'error', where: 'a.output.file', line: 3, column: 19 },
    ])
    delete (file as { prepare?: unknown }).prepare
  })
})
