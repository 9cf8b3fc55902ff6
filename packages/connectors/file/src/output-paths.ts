import { resolve } from 'node:path'
import type { Message, Template, TemplateScope } from '@mqb/core'
import { fileError } from './errors.ts'

/** Where the messages of an output go when its path holds tokens. */
export class OutputPaths {
  readonly #template: Template
  readonly #scope: TemplateScope
  // What every resolved path begins with: the text before the first token.
  readonly #prefix: string

  constructor(template: Template, scope: TemplateScope) {
    this.#template = template
    this.#scope = scope
    this.#prefix = resolve(`${template.prefix}x`).slice(0, -1)
  }

  /** @throws {MqbError} `MQB_FILE_PATH` for a token without value, and for a path that leads elsewhere. */
  pathOf(message: Message): string {
    const path = this.#template.render(message, this.#scope)
    if (path === undefined)
      throw fileError({
        code: 'MQB_FILE_PATH',
        what: `${this.#template.unresolved(message) ?? 'a token'} of the path has no value in this message`,
      })
    if (path.includes('\0') || /[\\/]$/.test(path) || !resolve(path).startsWith(this.#prefix))
      throw fileError({
        code: 'MQB_FILE_PATH',
        what: `${JSON.stringify(path)} is no file below ${JSON.stringify(this.#template.prefix)}`,
      })
    return path
  }
}
