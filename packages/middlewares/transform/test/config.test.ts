import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfigProblem } from '@mqb/core'
import { checkConfig, createRegistry, loadConfig, parseUri } from '@mqb/core/config'
import { createReferenceConnector } from '@mqb/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import transform from '../src/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqb-transform-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const registry = () => createRegistry({ plugins: [transform, createReferenceConnector().plugin] })

async function problems(transformText: string): Promise<readonly ConfigProblem[]> {
  const text = `
routes:
  orders:
    input: { reference: { channel: a } }
    output:
      reference: { channel: b }
      middlewares:
        - transform: ${transformText}
`
  return checkConfig(loadConfig({ registry: registry(), text, cwd: folder, env: {} }))
}

const at = 'orders.output.middlewares[0].transform'

describe('mistakes in the configuration', () => {
  it('in a schema are all found, with their place', async () => {
    expect(
      await problems(
        '{ schema: { type: object, properties: { qty: { type: int }, s: { required: true, enum: [] } }, required: [1] } }',
      ),
    ).toMatchObject([
      {
        where: `${at}.schema.properties.qty.type`,
        what: 'there is no type "int"',
        line: 8,
        severity: 'error',
      },
      { where: `${at}.schema.properties.s.required`, what: 'required is a list of names of fields' },
      { where: `${at}.schema.properties.s.enum`, what: 'enum is a list of at least one value' },
      { where: `${at}.schema.required`, mend: 'write it on the object around them: required: [id, qty]' },
    ])
  })

  it('in a default are found before any message', async () => {
    expect(
      await problems('{ schema: { properties: { a: { type: string, default: null } } } }'),
    ).toMatchObject([
      {
        where: `${at}.schema.properties.a.default`,
        what: 'the default does not fit the schema: expected string, got null',
        mend: 'remove it, or add nullable: true',
      },
    ])
    expect(
      await problems(
        '{ apply_defaults: false, schema: { properties: { a: { type: string, default: null } } } }',
      ),
    ).toEqual([])
  })

  it('in a mapping name the key', async () => {
    expect(
      await problems('{ mapping: { a: "$.x[", b: { path: "a..b" }, c: "$.c", c.d: "$.d", e.: "$.e" } }'),
    ).toMatchObject([
      {
        where: `${at}.mapping.a`,
        mend: 'name a field of the payload, such as $.customer.name or $.items[0].sku',
      },
      { where: `${at}.mapping.b.path` },
      { where: `${at}.mapping["c.d"]`, what: '"c.d" and "c" can not both be written' },
      { where: `${at}.mapping["e."]`, what: 'the output key "e." has a part without a name' },
    ])
  })

  it('in an expression have line and column', async () => {
    const [problem] = await problems('{ expression: "{ a: lenght(b) }" }')
    expect(problem).toMatchObject({ severity: 'error', where: `${at}.expression` })
    expect(problem?.what).toContain('line 1, column')
  })

  it('schema and schema_file exclude each other', async () => {
    expect(await problems('{ schema: {}, schema_file: a.json }')).toMatchObject([
      { where: `${at}.schema_file`, what: 'schema and schema_file exclude each other' },
    ])
  })

  it('a schema that is still text names schema_file', async () => {
    const [problem] = await problems(`{ schema: '{"type":"object"}' }`)
    expect(problem).toMatchObject({ where: `${at}.schema` })
    expect(problem?.mend).toContain('schema_file')
  })

  it('a schema that leaves much to keywords of its own kind is said to be applied in part', async () => {
    expect(
      await problems('{ schema: { $ref: "#/x", properties: { a: { oneOf: [], items: [] } } } }'),
    ).toMatchObject([
      {
        severity: 'warning',
        where: at,
        what: 'the schema uses $ref, oneOf, items as a list, which transform does not apply',
      },
    ])
  })
})

describe('schema_file', () => {
  const file = (text: string): string => {
    const path = join(folder, 'schema.json')
    writeFileSync(path, text)
    return path
  }

  it('has to be there, to be JSON, and to hold a schema', async () => {
    expect(await problems(`{ schema_file: ${join(folder, 'none.json')} }`)).toMatchObject([
      { code: 'MQB_TRANSFORM_SCHEMA', where: at, severity: 'error' },
    ])
    expect((await problems(`{ schema_file: ${file('{"type":')} }`))[0]?.what).toContain('not JSON at byte 8')
    expect((await problems(`{ schema_file: ${file('[]')} }`))[0]?.what).toContain('a schema is an object')
    expect(
      (await problems(`{ schema_file: ${file('{"properties":{"a.b":{"type":"int"}}}')} }`))[0]?.what,
    ).toContain(`$.properties['a.b'].type of ${join(folder, 'schema.json')}: there is no type "int"`)
  })

  it('may begin with a byte order mark', async () => {
    expect(await problems(`{ schema_file: ${file('\uFEFF{}')} }`)).toEqual([])
  })
})

describe('in a URI', () => {
  const config = (uri: string): unknown =>
    parseUri(uri, {
      side: 'input',
      registry: createRegistry({ plugins: [transform, createReferenceConnector().plugin] }),
      env: {},
    })

  it('mapping and schema are JSON, the rest is plain', () => {
    const schema = encodeURIComponent('{"properties":{"qty":{"type":"integer"}}}')
    const mapping = encodeURIComponent('{"id":"$.user_id"}')
    expect(
      config(
        `reference:?channel=a|transform?schema=${schema}&mapping=${mapping}&coerce-empty-as-null&on_error=pass_through`,
      ),
    ).toMatchObject({
      middlewares: [
        {
          transform: {
            schema: { properties: { qty: { type: 'integer' } } },
            mapping: { id: '$.user_id' },
            coerce_empty_as_null: true,
            on_error: 'pass_through',
          },
        },
      ],
    })
  })
})
