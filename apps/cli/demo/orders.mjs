// Makes the input: orders as a shop would export them, with the mistakes that such files have.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const countries = ['DE', 'FR', 'ES', 'IT', 'NL', 'PL', 'SE', 'AT']
const customers = [
  'Müller & Söhne',
  'Dupont, Claire',
  'The "Corner" Shop',
  'Nováková',
  'Smith',
  'Ålesund Fisk',
]
const broken = ['', 'n/a', '12,50', 'TBD']
const rowsPerWrite = 2_000

/** Writes `rows` orders. @returns how many of them are broken. */
export async function writeOrders(path, rows) {
  const random = seeded(20_240_229)
  const pick = list => list[Math.floor(random() * list.length)]
  const file = createWriteStream(path)
  let bad = 0
  let text = 'order_id,ordered_at,customer,country,sku,quantity,amount\n'
  for (let row = 1; row <= rows; row++) {
    const isBad = random() < 0.002
    if (isBad) bad++
    const amount = isBad ? pick(broken) : (1 + random() * 500).toFixed(2)
    const at = new Date(1_704_067_200_000 + row * 61_000).toISOString()
    text += `${row},${at},${quoted(pick(customers))},${pick(countries)},SKU-${1_000 + Math.floor(random() * 9_000)},${1 + Math.floor(random() * 9)},${quoted(amount)}\n`
    if (row % rowsPerWrite === 0 || row === rows) {
      if (!file.write(text)) await once(file, 'drain')
      text = ''
    }
  }
  file.end()
  await once(file, 'close')
  return bad
}

const quoted = text => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The same orders in every run. */
function seeded(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
