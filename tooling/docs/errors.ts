import type { ErrorCodeTable } from '@mqb/core'
import { errorCodesOf } from '../workspace/error-codes.ts'
import { publicPackages, type WorkspacePackage } from '../workspace/packages.ts'
import { generatedNote } from './components.ts'
import { code, page, table } from './markdown.ts'

/** The codes of all packages, one table each. */
export async function errorPage(): Promise<string> {
  const sections: string[] = []
  for (const each of publicPackages()) {
    const codes = await errorCodesOf(each)
    if (codes !== undefined) sections.push(`## ${each.name}`, errorTable(codes))
  }
  return page([
    generatedNote,
    '# Error codes',
    'Codes are stable within a major version, texts are not: branch on `code` and `kind`.',
    table(
      ['Kind', 'What follows'],
      [
        ['`config`', 'Found before anything connects. The command ends with code 2.'],
        [
          '`connection`',
          'The endpoint is gone. Nothing is acknowledged; it alone is opened again with growing pauses.',
        ],
        [
          '`retryable`',
          'The same can work later with nothing changed. The source hands the message over again.',
        ],
        ['`permanent`', 'It can never work. Logged, counted and done with, or kept by a `dlq`.'],
      ],
    ),
    ...sections,
  ])
}

export function errorTable(codes: ErrorCodeTable): string {
  return table(
    ['Code', 'Kind', 'Meaning', 'What to do'],
    Object.entries(codes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]) => [
        code(name),
        (typeof entry.kind === 'string' ? [entry.kind] : entry.kind).join(', '),
        entry.meaning,
        entry.mend,
      ]),
  )
}

export async function errorTableOf(each: WorkspacePackage): Promise<string | undefined> {
  const codes = await errorCodesOf(each)
  return codes === undefined ? undefined : errorTable(codes)
}
