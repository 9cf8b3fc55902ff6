import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { filesOfTheTree } from './tree.ts'

const link = /\[[^\]]*\]\(([^)\s]+)\)/g

/** Links between pages that lead nowhere. */
export function linkFindings(): string[] {
  return filesOfTheTree()
    .filter(path => path.endsWith('.md') && existsSync(join(workspaceRoot, path)))
    .flatMap(path =>
      relativeLinks(readFileSync(join(workspaceRoot, path), 'utf8'))
        .filter(target => !existsSync(join(workspaceRoot, dirname(path), target)))
        .map(target => `${path} links to ${target}, which is not there`),
    )
}

/** The files that a page links to, without anchors; code blocks hold no links. */
export function relativeLinks(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`(?!\])/g, '')
  return [...prose.matchAll(link)]
    .map(match => (match[1] ?? '').replace(/#.*$/, ''))
    .filter(target => target !== '' && !/^[a-z][a-z+.-]*:/i.test(target))
}
