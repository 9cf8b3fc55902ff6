// One real job from beginning to end, with nothing but what comes with mqb.
import { spawn } from 'node:child_process'
import { createReadStream, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { writeOrders } from './orders.mjs'

const rows = 300_000
const here = dirname(fileURLToPath(import.meta.url))
const mqb = join(here, '..', 'bin', 'mqb.js')
const configPath = join(here, 'bridge.yaml')
const folder = mkdtempSync(join(tmpdir(), 'mqb-demo-'))
const files = {
  orders: join(folder, 'orders.csv'),
  result: join(folder, 'orders.jsonl'),
  deadLetters: join(folder, 'dead-letters.jsonl'),
}

const { stdout } = process
const onTerminal = stdout.isTTY === true
const colors = onTerminal && !process.env.NO_COLOR
const paint = code => text => (colors ? `\u001b[${code}m${text}\u001b[0m` : text)
const [bold, dim, green, yellow] = [1, 2, 32, 33].map(paint)

const eraseLine = onTerminal ? '\r\u001b[K' : ''
const say = (text = '') => stdout.write(`${text}\n`)
const count = number => String(Math.round(number)).replace(/\B(?=(\d{3})+(?!\d))/g, '_')
const megabytes = path => `${(statSync(path).size / 1e6).toFixed(1)} MB`
const indented = text => text.replace(/^/gm, '    ')

function heading(number, text) {
  say()
  say(`${bold(`${number}  ${text}`)}`)
}

async function main() {
  say()
  say(bold('mqb demo: a shop exports its orders as CSV, and some rows are broken.'))

  heading(1, 'The input')
  const broken = await writeOrders(files.orders, rows)
  say(indented(dim((await firstLines(files.orders, 4)).join('\n'))))
  say(`   ${count(rows)} rows, ${megabytes(files.orders)}; ${count(broken)} of them have no proper amount`)

  heading(2, `The bridge, ${relative(process.cwd(), configPath)}`)
  say(indented(dim(readFileSync(configPath, 'utf8').trimEnd())))

  heading(3, 'The run')
  const job = await runBridge()
  const read = job.delivered + job.deadLettered
  const seconds = job.elapsedMs / 1_000
  say(`   ${green('delivered')}      ${count(job.delivered)} orders`)
  say(`   ${yellow('dead-lettered')}  ${count(job.deadLettered)} orders`)
  say(`   in ${seconds.toFixed(2)} s, ${count(read / seconds)} rows/s, from the first read to the last write`)
  if (read !== rows || job.deadLettered !== broken)
    throw new Error(
      `${rows} rows with ${broken} broken ones went in, ${read} with ${job.deadLettered} came out`,
    )

  heading(4, 'What came out')
  say(indented(dim((await firstLines(files.result, 3)).join('\n'))))

  heading(5, 'A dead letter, with the reason and everything that is needed to send it again')
  const [letter = '{}'] = await firstLines(files.deadLetters, 1)
  say(indented(dim(JSON.stringify(JSON.parse(letter), null, 2))))

  heading(6, 'The files')
  for (const path of Object.values(files)) say(`   ${path}  ${dim(megabytes(path))}`)
  say()
  say('   A copy needs no configuration, only two ends:')
  say(dim(`   ./node_modules/.bin/mqb copy file:${files.orders} - --limit 3`))
  say()
}

/** Starts the bridge, shows how far it is until the route has come to its end, and stops it. */
async function runBridge() {
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=64',
      mqb,
      '-c',
      configPath,
      '--config-str',
      'logger: json',
      '--metrics-addr',
      '127.0.0.1:0',
    ],
    {
      env: { ...process.env, DEMO_DIR: folder, MQB_LOG: 'info' },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  )
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  let ended
  let metricsUrl
  let progress
  for await (const line of createInterface({ input: child.stderr })) {
    const record = parseRecord(line)
    const code = record?.fields?.code
    if (record === undefined || record.level === 'error') say(`   ${line}`)
    else if (code === 'MQB_METRICS_SERVED') metricsUrl = record.fields.url
    else if (code === 'MQB_ROUTES_ENDED') {
      ended = record.fields.routes.orders
      child.kill('SIGTERM')
    } else if (record.level === 'warn') say(`${eraseLine}   ${yellow('!')} ${dim(record.message)}`)
    else if (record.fields?.route !== undefined && !onTerminal) say(dim(`   ${record.message}`))
    progress ??= metricsUrl === undefined || !onTerminal ? undefined : showProgress(metricsUrl)
  }
  clearInterval(progress)
  stdout.write(eraseLine)
  const code = await exited
  if (code !== 0 || ended === undefined) throw new Error(`mqb ended with code ${code}`)
  return ended
}

/** Reads the counter that everybody can read, and rewrites one line. */
function showProgress(url) {
  return setInterval(async () => {
    const text = await fetch(url).then(
      answer => answer.text(),
      () => '',
    )
    const done = Number(
      /^queue_messages_processed_total\{.*endpoint="output".*\} (\d+)$/m.exec(text)?.[1] ?? 0,
    )
    const share = Math.min(1, done / rows)
    const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░')
    stdout.write(`\r\u001b[K   ${bar} ${count(done)} rows`)
  }, 100)
}

function parseRecord(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function firstLines(path, wanted) {
  const lines = []
  const input = createReadStream(path, { end: 65_535 })
  for await (const line of createInterface({ input })) {
    lines.push(line)
    if (lines.length === wanted) break
  }
  input.destroy()
  return lines
}

main().catch(error => {
  process.stderr.write(`the demo failed: ${error.message}\nits files are in ${folder}\n`)
  process.exitCode = 1
})
