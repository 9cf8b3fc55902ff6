import { describe, expect, it } from 'vitest'
import { compileTemplate, createTemplateScope, Message, MqbError } from '../../src/index.ts'

const scope = () => createTemplateScope({ now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) })
const message = new Message(
  '{"order":{"id":9007199254740993,"note":"say \\"hi\\"","items":[{"sku":"A1"}]},"none":null}',
  { kind: 'order' },
  '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
)
const render = (text: string, options = {}) => compileTemplate(text, options).render(message, scope())

describe('rendering a template', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['${payload:order.id}', '9007199254740993'],
    ['${payload:order.note}', 'say "hi"'],
    ['${payload:order.items[0].sku}-${metadata:kind}', 'A1-order'],
    ['${payload:order.items}', '[{"sku":"A1"}]'],
    ['${message:id}', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'],
    ['${gen:now}', '2026-01-02T03:04:05.006Z'],
    ['${gen:timestamp}', '1767323045006'],
    ['$${payload:order.id}', '${payload:order.id}'],
    ['$$ $x ${other:x} ${x}', '$$ $x ${other:x} ${x}'],
    ['${gen:random(7,7)}', '7'],
  ])('%j gives %j', (text, expected) => expect(render(text)).toBe(expected))

  it('counts per scope, not per template', () => {
    const template = compileTemplate('${gen:counter}')
    const one = scope()
    expect([
      template.render(message, one),
      template.render(message, one),
      template.render(message, scope()),
    ]).toEqual(['0', '1', '0'])
  })

  it('escapes what comes from the message where the text is JSON, unless it is marked raw', () => {
    expect(render('{"n":"${payload:order.note}"}', { escape: 'json' })).toBe('{"n":"say \\"hi\\""}')
    expect(render('{"n":${payload:order.items | raw}}', { escape: 'json' })).toBe('{"n":[{"sku":"A1"}]}')
  })

  it('does not render when a field is absent or null, or the payload is not JSON', () => {
    expect(render('${payload:missing}')).toBeUndefined()
    expect(render('${payload:none}')).toBeUndefined()
    expect(render('${metadata:missing}')).toBeUndefined()
    const template = compileTemplate('a-${payload:x}')
    expect(template.render(new Message('not json'), scope())).toBeUndefined()
    expect(template.renderLoose(new Message('not json'), scope())).toBe('a-')
    expect(template.unresolved(new Message('{}'))).toBe('${payload:x}')
  })

  it('reads the environment once, when it is compiled', () => {
    const env: Record<string, string> = { TOKEN: 'first' }
    const template = compileTemplate('${env:TOKEN}', { env })
    env.TOKEN = 'second'
    expect(template.render(message, scope())).toBe('first')
    expect(template.isConstant).toBe(true)
  })

  it('says what it reads', () => {
    const template = compileTemplate('x/${payload:a.b}/${metadata:k}/${payload:a.b}')
    expect(template).toMatchObject({
      prefix: 'x/',
      payloadPaths: ['a.b'],
      metadataKeys: ['k'],
      isConstant: false,
    })
  })

  it.each([
    '${payload:a',
    '${payload:}',
    '${payload:a..b}',
    '${message:body}',
    '${gen:nonsense}',
    '${gen:random(5,1)}',
    '${gen:random(0,281474976710656)}',
    '${env:MQB_SURELY_NOT_SET}',
  ])('%j is refused when it is compiled', text => {
    try {
      compileTemplate(text)
      expect.unreachable()
    } catch (error) {
      expect(MqbError.is(error) && error.kind).toBe('config')
    }
  })
})
