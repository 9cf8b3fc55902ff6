// A bridge inside a program: orders of at least 100 go on, the others are dealt with here.
import { createBridge } from '@mqb/core/runtime'
import file from '@mqb/file'

const bridge = createBridge({ plugins: [file] })

const orders = bridge
  .route('orders', {
    input: { file: { path: 'orders.csv', format: 'csv' } },
    output: { file: { path: 'large.jsonl', format: 'raw' } },
  })
  .withOptions({ drain: true })
  .withHandler(message => {
    const { amount } = message.json() as { amount: string }
    return Number(amount) >= 100 ? message : null
  })

await orders.start()
const { counts } = await orders.join()
console.log(`${counts.delivered} of ${counts.in} orders are large`)
