#!/usr/bin/env -S node --max-semi-space-size=64
import module from 'node:module'
// Signals first: one that comes while the rest is still being loaded must end the process in order.
import { catchSignals } from '../dist/process/signals.js'

const signals = catchSignals()
// From Node 22 on, the second start finds its code compiled.
module.enableCompileCache?.()
const { main } = await import('../dist/main.js')
await main(process.argv.slice(2), signals)
