import type { Findings } from '../problems.ts'
import { routeKeys } from '../route-options.ts'
import { describeValue } from '../schema/describe.ts'
import { suggest, suggestionText } from '../suggest.ts'
import { Cursor } from '../tree/cursor.ts'
import { isMap, type Origins, writeEntry } from '../tree/origins.ts'

/** Keys of an entry of `consumers`, beside the options of a route. */
export const consumerKeys = ['id', 'name', 'comment', 'endpoint', 'output', 'message_capture'] as const
/** Keys of an entry of `publishers`. */
export const publisherKeys = [
  'id',
  'name',
  'comment',
  'sort_order',
  'endpoint',
  'payload',
  'headers',
] as const
/** What may stand beside `mode` in the output of a consumer. */
export const consumerModes = {
  none: [],
  publisher: ['publisher', 'publisher_id'],
  response: ['headers', 'payload'],
} as const
const optionKeys = routeKeys.filter(key => key !== 'input' && key !== 'output')

/** The entries of `publishers`, a list of `{name, endpoint}` or a map from name to endpoint, by name. */
export function readPublishers(root: Cursor, findings: Findings): Map<string, Cursor> {
  const publishers = new Map<string, Cursor>()
  const list = root.child('publishers')
  if (list.value === undefined || list.value === null) return publishers
  if (isMap(list.value)) {
    for (const entry of list.children()) publishers.set(entry.path.at(-1) as string, entry)
    return publishers
  }
  if (!isList(list, 'publishers', findings)) return publishers
  for (const item of list.children()) {
    if (!isItem(item, findings)) continue
    reportUnknownKeys(item, publisherKeys, findings)
    const name = readName(item, findings)
    if (name === undefined || !hasEndpoint(item, findings)) continue
    if (publishers.has(name)) {
      findings.error(item.child('name'), {
        code: 'MQB_CONFIG_DUPLICATE_NAME',
        what: `there are two publishers named ${JSON.stringify(name)}`,
        mend: 'rename or remove one of them',
      })
      continue
    }
    publishers.set(name, item.child('endpoint').named(['publishers', name]))
    const id = item.child('id').value
    if (typeof id === 'string' && id !== '' && !publishers.has(id)) {
      publishers.set(id, item.child('endpoint').named(['publishers', name]))
    }
  }
  return publishers
}

/** The entries of `consumers` as routes. */
export function readConsumers(
  root: Cursor,
  origins: Origins,
  findings: Findings,
): { name: string; route: Cursor }[] {
  const list = root.child('consumers')
  if (list.value === undefined || list.value === null || !isList(list, 'consumers', findings)) return []
  const routes: { name: string; route: Cursor }[] = []
  for (const item of list.children()) {
    if (!isItem(item, findings)) continue
    reportUnknownKeys(item, [...consumerKeys, ...optionKeys], findings)
    const name = readName(item, findings)
    if (name === undefined || !hasEndpoint(item, findings)) continue
    reportCapture(item, findings)
    const raw: Record<string, unknown> = {}
    const route = Cursor.root(raw, { path: [name], origins, origin: item.origin })
    const put = (key: string, value: unknown, from: Cursor): void => {
      writeEntry(raw, key, value)
      origins.set(raw, key, from.origin)
    }
    put('input', item.child('endpoint').value, item.child('endpoint'))
    for (const key of optionKeys)
      if (item.child(key).value !== undefined) put(key, item.child(key).value, item.child(key))
    const output = readOutput(item.child('output'), findings)
    if (output !== undefined) put('output', output, item.child('output'))
    routes.push({ name, route })
  }
  return routes
}

function readOutput(output: Cursor, findings: Findings): unknown {
  if (output.value === undefined || output.value === null) return null
  const mode = output.child('mode')
  if (!isMap(output.value) || !isMode(mode.value)) {
    const at = isMap(output.value) ? mode : output
    findings.error(at, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected "none", "publisher" or "response", got ${describeValue(at.value, true)}`,
      mend: 'write it as: output: { mode: publisher, publisher: name_of_the_publisher }',
    })
    return undefined
  }
  reportUnknownKeys(output, ['mode', ...consumerModes[mode.value]], findings)
  if (mode.value === 'none') return null
  if (mode.value === 'response') return readResponse(output, findings)
  const name = output.child('publisher').value || output.child('publisher_id').value
  if (typeof name === 'string' && name !== '') return { ref: name }
  findings.error(output.child('publisher'), {
    code: 'MQB_CONFIG_MISSING',
    what: 'publisher is required and is not set',
    mend: 'name an entry of "publishers"',
    atKey: true,
  })
  return undefined
}

function isMode(value: unknown): value is keyof typeof consumerModes {
  return typeof value === 'string' && Object.hasOwn(consumerModes, value)
}

function readResponse(output: Cursor, findings: Findings): unknown {
  for (const key of consumerModes.response) {
    const at = output.child(key)
    const { value } = at
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      continue
    findings.error(at, {
      code: 'MQB_CONFIG_LATER',
      what: `a consumer cannot answer with a fixed ${key === 'payload' ? 'payload' : 'set of headers'} in this version`,
      mend: 'write it as a route with the output static',
      atKey: true,
    })
  }
  return { response: {} }
}

function reportCapture(item: Cursor, findings: Findings): void {
  const capture = item.child('message_capture')
  if (!isMap(capture.value) || capture.value.enabled === false) return
  findings.warning(capture, {
    code: 'MQB_CONFIG_LATER',
    what: 'message_capture has no effect: this version has no web UI',
    mend: 'remove it',
    atKey: true,
  })
}

function isList(list: Cursor, name: string, findings: Findings): boolean {
  if (Array.isArray(list.value)) return true
  if (list.origin.reported === true) return false
  findings.error(list, {
    code: 'MQB_CONFIG_INVALID',
    what: `expected a list, got ${describeValue(list.value, false)}`,
    mend: `write it as a list: ${name}: [{ name: orders, endpoint: … }]`,
  })
  return false
}

function isItem(item: Cursor, findings: Findings): boolean {
  if (isMap(item.value)) return true
  findings.error(item, {
    code: 'MQB_CONFIG_INVALID',
    what: `expected a map with "name" and "endpoint", got ${describeValue(item.value, false)}`,
    mend: 'write it as: { name: orders, endpoint: … }',
  })
  return false
}

function readName(item: Cursor, findings: Findings): string | undefined {
  const at = item.child('name')
  const name = at.value === undefined || at.value === '' ? item.child('id').value : at.value
  if (typeof name === 'string' && name !== '') return name
  if (typeof name === 'number' && at.origin.text !== undefined) return at.origin.text
  if (name === undefined && isMisspelt('name', item)) return undefined
  findings.error(at, {
    code: name === undefined || name === '' ? 'MQB_CONFIG_MISSING' : 'MQB_CONFIG_INVALID',
    what:
      name === undefined || name === ''
        ? 'name is required and is not set'
        : `expected a name, got ${describeValue(name, false)}`,
    mend: 'give it a name',
    atKey: true,
  })
  return undefined
}

function hasEndpoint(item: Cursor, findings: Findings): boolean {
  const endpoint = item.child('endpoint')
  if (endpoint.value !== undefined) return true
  if (isMisspelt('endpoint', item)) return false
  findings.error(endpoint, {
    code: 'MQB_CONFIG_MISSING',
    what: 'endpoint is required and is not set',
    mend: 'add it, for example: endpoint: { file: { path: "orders.jsonl" } }',
    atKey: true,
  })
  return false
}

/** A key that stands for this one is reported already. */
function isMisspelt(key: string, item: Cursor): boolean {
  const known: readonly string[] = [...consumerKeys, ...publisherKeys, ...optionKeys]
  return Object.keys(item.value as object).some(
    written => !known.includes(written) && suggest(written, [key]) === key,
  )
}

function reportUnknownKeys(item: Cursor, keys: readonly string[], findings: Findings): void {
  for (const key of Object.keys(item.value as object)) {
    if (keys.includes(key)) continue
    findings.error(item.child(key), {
      code: 'MQB_CONFIG_UNKNOWN_KEY',
      what: `the key ${JSON.stringify(key)} is not known here`,
      mend: suggestionText(key, keys),
      atKey: true,
    })
  }
}
