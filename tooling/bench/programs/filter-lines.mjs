// Copies the lines of a file for which a condition holds. `floor` finds the lines and keeps every other one without looking
// into them, which is the least that any such program does; `parse` reads each with JSON.parse. Both read 256 KiB at
// a time into fresh memory, one read ahead, and write what is kept one write behind. Prints the seconds and lines as JSON.
import { close, openSync, read, write } from 'node:fs'
import { promisify } from 'node:util'

const [side, inputPath, outputPath] = process.argv.slice(2)
const readBytes = 262_144
const headRoom = 65_536
const readInto = promisify(read)
const writeFrom = promisify(write)

const keeps = {
  floor: (_window, _start, _end, line) => (line & 1) === 0,
  parse(window, start, end) {
    const value = JSON.parse(window.toString('utf8', start, end))
    return value.order.status === 'open' && value.reading > 10
  },
}[side]

const start = performance.now()
const input = openSync(inputPath, 'r')
const output = openSync(outputPath, 'w')
const readNext = () => {
  const slab = Buffer.allocUnsafeSlow(headRoom + readBytes)
  return readInto(input, slab, headRoom, readBytes, null).then(({ bytesRead }) => ({ slab, bytesRead }))
}

let lines = 0
let carry = Buffer.alloc(0)
let writing = Promise.resolve()
let next = readNext()
for (;;) {
  const { slab, bytesRead } = await next
  if (bytesRead === 0) break
  next = readNext()
  const from = headRoom - carry.length
  carry.copy(slab, from)
  const window = slab.subarray(0, headRoom + bytesRead)
  const kept = Buffer.allocUnsafe(window.length)
  let filled = 0
  let at = from
  for (let found = window.indexOf(10, at); found >= 0; found = window.indexOf(10, at)) {
    if (keeps(window, at, found, lines)) filled += window.copy(kept, filled, at, found + 1)
    lines++
    at = found + 1
  }
  carry = Buffer.from(window.subarray(at))
  await writing
  writing = writeAll(kept.subarray(0, filled))
}
await writing
const seconds = (performance.now() - start) / 1000
close(input)
close(output)
console.log(JSON.stringify({ seconds, messages: lines }))

async function writeAll(bytes) {
  for (let done = 0; done < bytes.length; )
    done += (await writeFrom(output, bytes, done, bytes.length - done, null)).bytesWritten
}
