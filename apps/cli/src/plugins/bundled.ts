import type { Plugin } from '@mqb/core'
import { bundledPlugins } from '../catalogue.generated.ts'

/** Words that could be the name of a part. */
export type Names = ReadonlySet<string>

/** Named without a word: a store that is only a path lies in the embedded store. */
const implied = ['level']

/** Every word of some texts, spelt as names of parts are. */
export function namesIn(texts: readonly string[]): Names {
  return new Set([...implied, ...texts.flatMap(text => text.split(/[^A-Za-z0-9_-]+/).map(spelling))])
}

/**
 * The plugins that come with the command.
 *
 * @param wanted only those that bring a part of such a name: loading all of them takes longer than many a copy.
 */
export function loadBundledPlugins(wanted?: Names): Promise<readonly Plugin[]> {
  return Promise.all(
    bundledPlugins
      .filter(
        ({ endpoints, middlewares, stores, schemes }) =>
          wanted === undefined ||
          [...endpoints, ...middlewares, ...stores, ...schemes].some(name => wanted.has(spelling(name))),
      )
      .map(({ load }) => load()),
  )
}

const spelling = (name: string): string => name.toLowerCase().replaceAll('-', '_')
