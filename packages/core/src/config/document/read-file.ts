import { readFileSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { describeThrown } from '../../errors/normalize.ts'
import type { Environment } from '../plan/context.ts'
import type { Findings } from '../problems.ts'
import { describeValue } from '../schema/describe.ts'
import { mergeOver } from '../tree/copy.ts'
import { Cursor } from '../tree/cursor.ts'
import { isMap, type Origins } from '../tree/origins.ts'
import { expandGlob, isGlob } from './glob.ts'
import { parseText } from './parse-text.ts'
import { expandPlaceholders } from './placeholders.ts'
import { canonicalise, reportDuplicateRoute } from './shapes.ts'

/** Files that include files that include files. */
const maxIncludeDepth = 5

/** What reading the files of one configuration shares. */
export interface ReadContext {
  readonly cwd: string
  readonly env: Environment
  readonly origins: Origins
  readonly findings: Findings
  /** Names of the files in the order in which they were laid over one another. */
  readonly files: string[]
}

/** Reads a file and what it includes, in canonical form. */
export function readConfigFile(path: string, context: ReadContext, stack: readonly string[] = []): Cursor {
  const absolute = resolve(context.cwd, path)
  const name = relative(context.cwd, absolute).startsWith('..') ? absolute : relative(context.cwd, absolute)
  let text: string
  try {
    text = readFileSync(absolute, 'utf8')
  } catch (error) {
    context.findings.error(Cursor.root(undefined, { origin: { label: name } }), {
      code: 'MQB_CONFIG_FILE',
      what: `the file cannot be read: ${describeThrown(error)}`,
      mend: 'check the path and its permissions',
    })
    return canonicalise(Cursor.root(undefined), context.origins, context.findings)
  }
  const format = /\.json$/i.test(absolute) ? 'json' : 'yaml'
  const document = parseText({ text, file: name, format }, context.origins, context.findings)
  const own = canonicalise(document, context.origins, context.findings)
  const base = readIncludes(own, absolute, context, [...stack, realpathSync(absolute)])
  context.files.push(name)
  if (base === undefined) return own
  refuseSharedRoutes(base, own, context.findings)
  mergeOver(base, own, context.origins)
  return base
}

/** Reads a text that came in an option or a variable, in canonical form. */
export function readConfigText(text: string, name: string, context: ReadContext): Cursor {
  const format = /^\s*\{/.test(text) ? 'json' : 'yaml'
  // Braces begin JSON and YAML alike: what is no JSON is judged as YAML.
  const isJson = format === 'json' && isValidJson(text)
  const document = parseText(
    { text, file: name, format: isJson ? 'json' : 'yaml' },
    context.origins,
    context.findings,
  )
  context.files.push(name)
  return canonicalise(document, context.origins, context.findings)
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function readIncludes(
  own: Cursor,
  file: string,
  context: ReadContext,
  stack: readonly string[],
): Cursor | undefined {
  const include = own.child('include')
  if (include.value === undefined || include.value === null) return undefined
  if (!Array.isArray(include.value)) {
    context.findings.error(include, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a list of files, got ${describeValue(include.value, false)}`,
      mend: 'write it as a list: include: [routes/*.yaml]',
    })
    include.origin = { ...include.origin, reported: true }
    return undefined
  }
  expandPlaceholders(include, { env: context.env, envVars: {} }, context.findings)
  let base: Cursor | undefined
  for (const entry of include.children()) {
    for (const path of includedFiles(entry, file, context, stack)) {
      const included = readConfigFile(path, context, stack)
      if (base === undefined) base = included
      else {
        refuseSharedRoutes(base, included, context.findings)
        mergeOver(base, included, context.origins)
      }
    }
  }
  return base
}

function includedFiles(
  entry: Cursor,
  file: string,
  context: ReadContext,
  stack: readonly string[],
): string[] {
  if (typeof entry.value !== 'string' || entry.value === '' || entry.origin.reported === true) return []
  const paths = expandGlob(entry.value, dirname(file))
  if (paths.length === 0 && !isGlob(entry.value)) {
    context.findings.error(entry, {
      code: 'MQB_CONFIG_FILE',
      what: `there is no file ${JSON.stringify(entry.value)} beside ${relative(context.cwd, file)}`,
      mend: 'paths in "include" are relative to the file that they stand in',
    })
  }
  if (stack.length > maxIncludeDepth && paths.length > 0) {
    context.findings.error(entry, {
      code: 'MQB_CONFIG_FILE',
      what: `files include one another more than ${maxIncludeDepth} levels deep`,
      mend: 'include the inner files from an outer one',
    })
    return []
  }
  return paths.filter(path => {
    const real = realpathSync(path)
    if (!stack.includes(real)) return true
    const names = [...stack.slice(stack.indexOf(real)), real].map(one => relative(context.cwd, one))
    // A pattern that also matches its own file is no circle that anybody meant.
    if (isGlob(entry.value as string) && real === stack.at(-1)) return false
    context.findings.error(entry, {
      code: 'MQB_CONFIG_FILE',
      what: `these files include one another in a circle: ${names.join(' -> ')}`,
      mend: 'remove one of the entries',
    })
    return false
  })
}

function refuseSharedRoutes(base: Cursor, over: Cursor, findings: Findings): void {
  const routes = base.child('routes').value
  if (!isMap(routes)) return
  for (const route of over.child('routes').children()) {
    const name = route.path.at(-1) as string
    if (Object.hasOwn(routes, name)) reportDuplicateRoute(name, route, findings)
  }
}
