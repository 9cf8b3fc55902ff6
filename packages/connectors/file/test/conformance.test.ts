import { writeFileSync } from 'node:fs'
import { testConnector } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'
import { scratch } from './support/harness.ts'

function suite(title: string, input: Record<string, unknown>, output: Record<string, unknown> = {}) {
  testConnector(
    { describe, it },
    {
      plugin,
      endpoint: 'file',
      title: `file, ${title}`,
      sample: { input: { path: 'messages', ...input }, output: { path: 'messages', ...output } },
      // A file answers at once: silence need not be waited for long.
      limits: { quietMs: 40, drainIdleMs: 40 },
      provision() {
        const folder = scratch()
        const path = folder.path('messages')
        writeFileSync(path, '')
        return {
          input: { path, ...input },
          output: { path, ...output },
          dispose: async () => folder.remove(),
        }
      },
    },
  )
}

suite('consume', {})
suite('consume, raw', { format: 'raw' }, { format: 'raw' })
suite('consume with delete', { delete: true })
suite('subscribe', { mode: 'subscribe' })
suite('subscribe with delete', { mode: 'subscribe', delete: true })
suite('group', { mode: 'group_subscribe', group_id: 'g' })
suite('group, raw', { mode: 'group_subscribe', group_id: 'g', format: 'raw' }, { format: 'raw' })
suite('another delimiter', { delimiter: '0x1e' }, { delimiter: '0x1e' })
