import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyRate } from '../copy.ts'
import { csvWithDocumentsFile } from '../data.ts'
import { defineBench, type RunContext } from '../define.ts'

const input = (context: RunContext): string => csvWithDocumentsFile(context.folder, context.count(1_000_000))

const rate = (context: RunContext, middleware: string, name: string) =>
  copyRate(`${input(context)}${middleware}`, join(context.folder, `${name}.jsonl`), 4096)

const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    qty: { type: 'integer' },
    price: { type: 'number' },
    payload: { type: 'string', contentMediaType: 'application/json' },
  },
}

/** In a file, as a user would have it. */
function schemaFile(context: RunContext): string {
  const path = join(context.folder, 'order.schema.json')
  writeFileSync(path, JSON.stringify(schema))
  return path
}

export default defineBench({
  summary:
    'CSV to JSON lines with transform, three fields typed and a document decoded, against the same without it',
  prepare: context => void input(context),
  cases: [
    {
      name: 'transform-csv',
      unit: 'rows/s',
      runs: 5,
      atLeast: 0.5,
      ours: context => rate(context, `|transform?schema_file=${schemaFile(context)}`, 'typed'),
      reference: context => rate(context, '', 'untyped'),
    },
  ],
})
