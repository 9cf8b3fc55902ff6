import { endpointPage, generatedNote, middlewarePage, storePage } from './components.ts'
import { errorPage } from './errors.ts'
import { code, page, table } from './markdown.ts'
import { type Component, type Model, schemesOf, schemeText, sidesOf } from './model.ts'

/** All pages under `docs/reference`, by path from the root. */
export async function referencePages(model: Model): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const add = (path: string, text: string) => pages.set(`docs/reference/${path}`, text)
  for (const each of model.endpoints) add(`endpoints/${each.name}.md`, endpointPage(each, model.planner))
  for (const each of model.middlewares)
    add(`middlewares/${each.name}.md`, middlewarePage(each, model.planner))
  for (const each of model.stores) add(`stores/${each.name}.md`, storePage(each))
  add('errors.md', await errorPage())
  add('README.md', indexPage(model))
  return pages
}

function indexPage(model: Model): string {
  const stores = model.stores.map(each => [link('stores', each), each.definition.summary])
  return page([
    generatedNote,
    '# Reference',
    'One page per endpoint, middleware and store, made from the schemas that also check your configuration. See also the [error codes](errors.md).',
    '## Endpoints',
    table(
      ['Endpoint', 'Side', 'URI schemes', 'What it is'],
      model.endpoints.map(each => [
        link('endpoints', each),
        sidesOf(each.definition).join(', '),
        schemesOf(each)
          .map(scheme => code(schemeText(scheme)))
          .join(', '),
        each.definition.summary,
      ]),
    ),
    '## Middlewares',
    table(
      ['Middleware', 'Side', 'What it does'],
      model.middlewares.map(each => [
        link('middlewares', each),
        sidesOf(each.definition).join(', '),
        each.definition.summary,
      ]),
    ),
    ...(stores.length === 0 ? [] : ['## Stores', table(['Scheme', 'What it is'], stores)]),
  ])
}

function link(folder: string, { name }: Component<unknown>): string {
  return `[${code(name)}](${folder}/${name}.md)`
}
