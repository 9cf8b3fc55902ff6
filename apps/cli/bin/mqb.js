#!/usr/bin/env -S node --max-semi-space-size=64
// Signals first: one that comes while the rest is still being loaded must end the process in order.
import { catchSignals } from '../dist/process/signals.js'

const signals = catchSignals()
const { main } = await import('../dist/main.js')
await main(process.argv.slice(2), signals)
