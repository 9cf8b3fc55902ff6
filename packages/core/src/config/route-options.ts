import * as z from 'zod'

/** The options of a route: defaults, limits and texts stand here and nowhere else. */
export const routeOptionsSchema = z.strictObject({
  description: z.string().default('').meta({ description: 'Free text, for people.' }),
  enabled: z.boolean().default(true).meta({ description: 'Whether the route is started with the others.' }),
  concurrency: z
    .int()
    .min(1)
    .max(1024)
    .default(1)
    .meta({
      description:
        'Batches in work at once. Above 1 whole batches may reach the output out of order, unless the output demands order.',
      examples: [4],
    }),
  batch_size: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(512)
    .meta({
      description: 'Most messages in a batch. A batch never waits to be filled.',
      examples: [1024],
    }),
  commit_concurrency_limit: z.int().min(1).max(1_000_000).default(4096).meta({
    description: 'Most commits in flight; where the input needs it they are made in order.',
  }),
  startup_timeout_ms: z.int().min(1).max(86_400_000).default(5000).meta({
    description:
      'How long a start waits for both ends to be connected; the route goes on connecting afterwards.',
  }),
  reconnect_interval_ms: z.int().min(1).max(86_400_000).default(5000).meta({
    description:
      'Longest pause between two attempts to connect; the first one is about 100 ms, then it doubles.',
  }),
  empty_batch_delay_ms: z.int().min(0).max(86_400_000).default(10).meta({
    description: 'Pause after an empty batch; 0 only lets others run.',
  }),
  exit_on_empty: z.boolean().default(false).meta({
    description: 'Ends the route when the input has nothing more and everything is delivered.',
  }),
  allow_fault_injection: z.boolean().default(false).meta({
    description: 'Lets random_panic make deliberate faults; without it that middleware does nothing.',
  }),
})

/** The keys of a route in a configuration. */
export const routeKeys: readonly string[] = ['input', 'output', ...Object.keys(routeOptionsSchema.shape)]
