import type { EndpointDefinition, MiddlewareDefinition, StoreProvider } from '@mqb/core'
import { capabilityChanges, capabilityTable } from './capabilities.ts'
import type { ExamplePlanner } from './examples.ts'
import { fieldTable } from './fields.ts'
import { code, page, yamlBlock } from './markdown.ts'
import { type Component, schemesOf, schemeText, sidesOf } from './model.ts'
import { schemaOf } from './schema.ts'

export const generatedNote =
  '<!-- Written by `pnpm docs:build` from the schema in the source: change it there. -->'

export function endpointPage(component: Component<EndpointDefinition>, planner: ExamplePlanner): string {
  const { name, definition } = component
  const schemes = schemesOf(component)
  return page([
    generatedNote,
    `# \`${name}\``,
    definition.summary,
    [
      packageLine(component),
      `Side: ${sidesOf(definition).join(' and ')}.`,
      schemes.length === 0
        ? ''
        : `URI schemes: ${schemes.map(scheme => code(schemeText(scheme))).join(', ')}.`,
    ]
      .filter(line => line !== '')
      .join('  \n'),
    '## Fields',
    fieldTable(schemaOf(definition.config)),
    '## What it promises',
    promises(component, planner),
    '## Examples',
    ...definition.examples.map(example =>
      page([
        `${example.title} (${example.side}):`,
        yamlBlock({ [example.side]: name === 'null' ? null : { [name]: example.config } }),
      ]).trim(),
    ),
  ])
}

export function middlewarePage(component: Component<MiddlewareDefinition>, planner: ExamplePlanner): string {
  const { name, definition } = component
  return page([
    generatedNote,
    `# \`${name}\``,
    definition.summary,
    [packageLine(component), `Side: ${sidesOf(definition).join(' and ')}.`].join('  \n'),
    '## Fields',
    fieldTable(schemaOf(definition.config)),
    '## What it changes of what the endpoint promises',
    changes(component, planner),
    '## Examples',
    ...definition.examples.map(example =>
      page([
        `${example.title} (${example.side}):`,
        yamlBlock({ [example.side]: { middlewares: [{ [name]: example.config }] } }),
      ]).trim(),
    ),
  ])
}

export function storePage({ name, definition, package: owner }: Component<StoreProvider>): string {
  const kinds = (['checkpoint', 'dedup', 'state'] as const).filter(kind => definition[kind] !== undefined)
  return page([
    generatedNote,
    `# \`${name}:\``,
    definition.summary,
    `Package: \`${owner.name}\`.  \nKeeps: ${kinds.join(', ')}.`,
    '## Examples',
    definition.examples.map(example => `- ${code(example)}`).join('\n'),
  ])
}

/** The part of a package's own README that shows the fields of a component. */
export function fieldsOf(component: Component<EndpointDefinition> | Component<MiddlewareDefinition>): string {
  return fieldTable(schemaOf(component.definition.config))
}

/** One column of the capability table per example configuration. */
export function promises(
  { name, definition }: Component<EndpointDefinition>,
  planner: ExamplePlanner,
): string {
  return capabilityTable(
    definition.examples.map(example => ({
      title: example.title,
      side: example.side,
      capabilities: planner.endpoint(name, example),
    })),
  )
}

function changes({ name, definition }: Component<MiddlewareDefinition>, planner: ExamplePlanner): string {
  const found = definition.examples.map(example => {
    const { before, after } = planner.middleware(name, example)
    return { example, lines: capabilityChanges(before, after) }
  })
  const changing = found.filter(({ lines }) => lines.length > 0)
  if (changing.length === 0) return 'Nothing.'
  return changing
    .map(({ example, lines }) =>
      [
        `${example.title} (${example.side}), where the endpoint promises everything:`,
        '',
        ...lines.map(line => `- ${line}`),
      ].join('\n'),
    )
    .join('\n\n')
}

function packageLine({ package: owner }: Component<unknown>): string {
  return `Package: [\`${owner.name}\`](../../../${owner.directory}/README.md).`
}
