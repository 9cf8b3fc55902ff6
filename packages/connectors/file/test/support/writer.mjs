// Appends records to a file in pieces of 7 bytes until it is killed.
import { appendFileSync } from 'node:fs'

const [, , path, run] = process.argv
for (let index = 0; ; index++) {
  const record = `${JSON.stringify({ run: Number(run), index, text: 'x'.repeat(index % 50) })}\n`
  for (let at = 0; at < record.length; at += 7) appendFileSync(path, record.slice(at, at + 7))
}
