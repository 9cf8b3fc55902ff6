// CSV to JSON lines with a parser that people use: rows as objects, JSON.stringify, one write per read. Prints the
// seconds from the first read to the last write as JSON.
import { createReadStream, createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

const [parser, inputPath, outputPath] = process.argv.slice(2)
const highWaterMark = 262_144

const start = performance.now()
const output = createWriteStream(outputPath, { highWaterMark })
const rows = parser === 'papaparse' ? await withPapaparse() : await withCsvParse()
output.end()
await finished(output)
console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, messages: rows }))

async function withCsvParse() {
  const { parse } = await import('csv-parse')
  const records = createReadStream(inputPath, { highWaterMark }).pipe(parse({ columns: true, bom: true }))
  let count = 0
  let text = ''
  for await (const record of records) {
    text += `${JSON.stringify(record)}\n`
    if (++count % 2048 === 0) {
      await put(text)
      text = ''
    }
  }
  await put(text)
  return count
}

async function withPapaparse() {
  const { default: papaparse } = await import('papaparse')
  let count = 0
  await new Promise((resolve, reject) => {
    papaparse.parse(createReadStream(inputPath, { highWaterMark, encoding: 'utf8' }), {
      header: true,
      skipEmptyLines: true,
      chunk: ({ data }) => {
        count += data.length
        let text = ''
        for (const record of data) text += `${JSON.stringify(record)}\n`
        output.write(text)
      },
      complete: resolve,
      error: reject,
    })
  })
  return count
}

async function put(text) {
  if (!output.write(text)) await new Promise(resolve => output.once('drain', resolve))
}
