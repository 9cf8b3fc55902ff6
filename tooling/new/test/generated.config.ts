// The configuration under which generated packages run their tests: as the one at the root, on their folder alone.
import { defineConfig } from 'vitest/config'
import { workspaceAliases } from '../../workspace/aliases.ts'

export default defineConfig({
  resolve: { alias: workspaceAliases() },
  test: { include: ['**/*.test.ts'], testTimeout: 20_000 },
})
