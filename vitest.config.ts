import { defineConfig } from 'vitest/config'
import { workspaceAliases } from './tooling/workspace/aliases.ts'

export default defineConfig({
  resolve: { alias: workspaceAliases() },
  test: {
    include: ['{packages,apps,tooling,examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 20_000,
  },
})
