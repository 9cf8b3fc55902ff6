import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './tooling/vitest/summary-reporter.ts'
import { workspaceAliases } from './tooling/workspace/aliases.ts'

const summaryFile = process.env.MQB_TEST_SUMMARY

export default defineConfig({
  resolve: { alias: workspaceAliases() },
  test: {
    include: ['{packages,apps,tooling,examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'tooling/.generated/**'],
    testTimeout: 20_000,
    // Most tests wait more than they compute.
    maxWorkers: availableParallelism(),
    reporters: summaryFile === undefined ? ['default'] : ['default', new SummaryReporter(summaryFile)],
  },
})
