/** The bytes are not JSON. `offset` counts bytes from the start of the document. */
export class JsonSyntaxError extends SyntaxError {
  override readonly name: string = 'JsonSyntaxError'
  readonly offset: number
  readonly reason: string

  constructor(reason: string, offset: number) {
    super(`not JSON at byte ${offset}: ${reason}`)
    this.offset = offset
    this.reason = reason
  }
}
