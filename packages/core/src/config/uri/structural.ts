import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeThrown } from '../../errors/normalize.ts'
import { fold, suggest } from '../suggest.ts'
import { writeEntry } from '../tree/origins.ts'
import type { UriContext } from './parse-uri.ts'
import type { Parameter, UriPart } from './split.ts'
import { missingPackage, uriError } from './usage.ts'

type Parse = (parameters: readonly Parameter[], context: UriContext) => unknown

/** The endpoints that compose or end a route, in the form that they have on the command line. */
const forms: Readonly<Record<string, Parse>> = {
  null: parseNothing(null),
  response: parseNothing({}),
  static: parseStatic,
  fanout: parseFanout,
  request: parseRequest,
  switch: parseSwitch,
}

export const structuralSchemes: ReadonlySet<string> = new Set(Object.keys(forms))

export function parseStructural(
  scheme: string,
  rest: string,
  part: UriPart,
  context: UriContext,
): Record<string, unknown> {
  if (rest !== '') {
    throw uriError(
      context.uri,
      `${scheme}: takes parameters only, not ${JSON.stringify(rest)}`,
      exampleOf(scheme),
    )
  }
  const config = forms[scheme]!(part.parameters, { ...context, side: 'output' })
  if (context.registry.endpoint(scheme) === undefined) {
    const packageName = context.registry.packageOf('endpoint', scheme) ?? '@mqb/structural'
    throw missingPackage(context.uri, `the scheme ${scheme}`, packageName, context.registry)
  }
  return { [scheme]: config }
}

function exampleOf(scheme: string): string {
  return {
    null: 'write null:',
    response: 'write response:',
    static: 'write static:?body=OK',
    fanout: 'write fanout:?to=URI&to=URI',
    request: 'write request:?to=URI&forward_to=URI',
    switch: 'write switch:?metadata_key=KEY&case.VALUE=URI&default=URI',
  }[scheme]!
}

function parseNothing(config: unknown): Parse {
  return (parameters, { uri }) => {
    const [first] = parameters
    if (first === undefined) return config
    throw uriError(
      uri,
      `there is no parameter ${JSON.stringify(first.key)}: this endpoint takes none`,
      'remove it',
    )
  }
}

function parseStatic(parameters: readonly Parameter[], { uri, cwd }: UriContext): unknown {
  const own = takeOnce(parameters, ['body', 'body_file', 'raw'], uri)
  const metadata: Record<string, string> = {}
  for (const { key, value } of own.others) {
    const meant = Object.hasOwn(metadata, key) ? undefined : suggestCase(key)
    if (meant !== undefined)
      throw uriError(uri, `there is no parameter ${JSON.stringify(key)}`, `did you mean ${meant}?`)
    writeEntry(metadata, key, value)
  }
  const { body, body_file: file, raw } = own.values
  if ((body === undefined) === (file === undefined)) {
    throw uriError(
      uri,
      body === undefined ? 'the body is missing' : 'body and body_file exclude each other',
      'give one of them: static:?body=OK, or static:?body_file=answer.json',
    )
  }
  if (raw !== undefined && raw !== 'true' && raw !== 'false')
    throw uriError(uri, 'the parameter raw is true or false', 'write raw=true')
  return {
    body: body ?? readBody(file!, cwd, uri),
    ...(raw === undefined ? {} : { raw: raw === 'true' }),
    ...(own.others.length === 0 ? {} : { metadata }),
  }
}

/** Metadata keys are free, so only another spelling of a parameter is taken for a slip. */
function suggestCase(key: string): string | undefined {
  const folded = fold(key)
  return folded === key ? undefined : ['body', 'body_file', 'raw'].find(name => name === folded)
}

function readBody(path: string, cwd: string, uri: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (error) {
    throw uriError(uri, `the file of body_file cannot be read: ${describeThrown(error)}`, 'correct the path')
  }
}

function parseFanout(parameters: readonly Parameter[], context: UriContext): unknown {
  const branches = parameters.map(({ key, value }) => {
    if (key === 'to') return context.nested(value, 'output')
    // What is asked and not listened to can neither answer nor fail the message.
    if (key === 'mirror') return { request: { to: context.nested(value, 'output'), forward_to: null } }
    throw unknown(key, ['to', 'mirror'], context.uri)
  })
  if (branches.length === 0) throw uriError(context.uri, 'there is no branch', exampleOf('fanout'))
  return branches
}

function parseRequest(parameters: readonly Parameter[], context: UriContext): unknown {
  const { values, others } = takeOnce(parameters, ['to', 'forward_to'], context.uri)
  if (others[0] !== undefined) throw unknown(others[0].key, ['to', 'forward_to'], context.uri)
  if (values.to === undefined)
    throw uriError(context.uri, 'the parameter to is missing', exampleOf('request'))
  const forward = values.forward_to === undefined ? null : context.nested(values.forward_to, 'output')
  return { to: context.nested(values.to, 'output'), forward_to: forward }
}

function parseSwitch(parameters: readonly Parameter[], context: UriContext): unknown {
  const { uri } = context
  const isByValue = parameters.some(({ key }) => key === 'metadata_key' || key.startsWith('case.'))
  const isByExpression = parameters.some(({ key }) => key === 'when' || key === 'to')
  if (isByValue && isByExpression) {
    throw uriError(
      uri,
      'metadata_key with case.… and when with to exclude each other',
      'decide by a metadata value, or by expressions',
    )
  }
  if (!isByValue && !isByExpression) throw uriError(uri, 'there is no branch', exampleOf('switch'))
  return isByValue ? switchByValue(parameters, context) : switchByExpression(parameters, context)
}

function switchByValue(parameters: readonly Parameter[], context: UriContext): unknown {
  const { uri } = context
  const { values, others } = takeOnce(parameters, ['metadata_key', 'default'], uri)
  const cases: Record<string, unknown> = {}
  for (const { key, value } of others) {
    if (!key.startsWith('case.')) throw unknown(key, ['metadata_key', 'case.VALUE', 'default'], uri)
    const name = key.slice('case.'.length)
    if (Object.hasOwn(cases, name))
      throw uriError(uri, `the parameter ${key} is given twice`, 'keep one of them')
    writeEntry(cases, name, context.nested(value, 'output'))
  }
  if (values.metadata_key === undefined)
    throw uriError(uri, 'the parameter metadata_key is missing', exampleOf('switch'))
  if (Object.keys(cases).length === 0) throw uriError(uri, 'there is no branch', exampleOf('switch'))
  return { metadata_key: values.metadata_key, cases, ...defaultOf(values.default, context) }
}

function switchByExpression(parameters: readonly Parameter[], context: UriContext): unknown {
  const { uri } = context
  const when: { if: string; to: unknown }[] = []
  let pending: string | undefined
  let fallback: string | undefined
  for (const { key, value } of parameters) {
    if (key === 'when') {
      if (pending !== undefined)
        throw uriError(
          uri,
          `no to follows when=${pending}`,
          'write each when with its to: when=EXPRESSION&to=URI',
        )
      pending = value
    } else if (key === 'to') {
      if (pending === undefined) {
        throw uriError(
          uri,
          when.length === 0 ? 'a to stands without its when' : 'two to follow one when',
          'write each when with its to: when=EXPRESSION&to=URI; use "and" instead of "&&" in an expression',
        )
      }
      when.push({ if: pending, to: context.nested(value, 'output') })
      pending = undefined
    } else if (key === 'default') {
      if (fallback !== undefined)
        throw uriError(uri, 'the parameter default is given twice', 'keep one of them')
      fallback = value
    } else throw unknown(key, ['when', 'to', 'default'], uri)
  }
  if (pending !== undefined)
    throw uriError(
      uri,
      `no to follows when=${pending}`,
      'write each when with its to: when=EXPRESSION&to=URI',
    )
  return { when, ...defaultOf(fallback, context) }
}

function defaultOf(value: string | undefined, context: UriContext): Record<string, unknown> {
  return value === undefined ? {} : { default: context.nested(value, 'output') }
}

/** Parameters that may come once, by name, and the others in order. */
function takeOnce<K extends string>(
  parameters: readonly Parameter[],
  names: readonly K[],
  uri: string,
): { values: Partial<Record<K, string>>; others: Parameter[] } {
  const values: Partial<Record<K, string>> = {}
  const others: Parameter[] = []
  for (const parameter of parameters) {
    const name = names.find(one => one === parameter.key)
    if (name === undefined) others.push(parameter)
    else if (values[name] !== undefined)
      throw uriError(uri, `the parameter ${name} is given twice`, 'keep one of them')
    else values[name] = parameter.value
  }
  return { values, others }
}

function unknown(key: string, names: readonly string[], uri: string) {
  const meant = suggest(key, names)
  return uriError(
    uri,
    `there is no parameter ${JSON.stringify(key)}`,
    meant === undefined ? `known parameters: ${names.join(', ')}` : `did you mean ${meant}?`,
  )
}
