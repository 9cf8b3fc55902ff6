const newline = 0x0a

/** The lines of a stream, without their ends; the last one need not have any. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let rest: Uint8Array[] = []
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)])
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}
