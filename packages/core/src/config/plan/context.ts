import type { Side } from '../../contract/capabilities.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import type { Registry } from '../../registry/index.ts'
import type { NestedFinding, NestedPlanner } from '../planner-slot.ts'
import { Findings } from '../problems.ts'
import { indexTree } from '../tree/copy.ts'
import { Cursor } from '../tree/cursor.ts'

/** Variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Endpoints inside endpoints, `ref`s included; on the command line URIs inside URIs. */
export const maxNesting = 16

/** What a run of the planner shares: the names in reach, and where nested endpoints stand in the file. */
export interface PlanContext {
  readonly registry: Registry
  readonly env: Environment
  /** Name of the route, for fields that default to it. */
  readonly route: string
  /** Named outputs of the configuration, for `ref`. */
  readonly publishers: ReadonlyMap<string, Cursor>
  readonly findings: Findings
  /** The names of the `ref`s that are being followed. */
  readonly refs: readonly string[]
  readonly depth: number
  /** How many batches may overlap at what is planned: known of the ends of a route, otherwise `Infinity`. */
  readonly concurrency: number
  /** The cursor on each map and list of the tree: tells a nested endpoint where it stands. */
  readonly places: WeakMap<object, Cursor>
  /** Every secret value that was met, also in parts that cannot be used. */
  readonly secrets: Set<string>
}

export type PlanEndpoint = (cursor: Cursor, side: Side, context: PlanContext) => EndpointPlan | undefined

/** Makes the planner that endpoint fields find while the configuration at `around` is parsed. */
export function nestedPlanner(
  around: Cursor,
  context: PlanContext,
  planEndpoint: PlanEndpoint,
): NestedPlanner {
  return {
    env: context.env,
    planNested(raw, side, needs) {
      const place = typeof raw === 'object' && raw !== null ? context.places.get(raw) : undefined
      const cursor = place ?? Cursor.root(raw, { path: around.path })
      const findings = new Findings()
      const plan = planEndpoint(cursor, side, {
        ...context,
        findings,
        depth: context.depth + 1,
        concurrency: Number.POSITIVE_INFINITY,
      })
      if (plan !== undefined && needs.mustAnswer === true) checkAnswers(plan, cursor, findings)
      if (plan !== undefined && !findings.failed) {
        context.findings.takeFrom(findings)
        return plan
      }
      return findings.entries
        .filter(entry => entry.severity === 'error')
        .map(
          (entry): NestedFinding => ({
            code: entry.code,
            what: entry.what,
            mend: entry.mend,
            atKey: entry.atKey === true,
            path: entry.cursor.path.slice(cursor.path.length),
            ...(place === undefined ? {} : { cursor: entry.cursor }),
          }),
        )
    },
  }
}

function checkAnswers(plan: EndpointPlan, cursor: Cursor, findings: Findings): void {
  const { replies } = plan.capabilities
  if (replies === 'no') {
    findings.error(cursor, {
      code: 'MQB_CONFIG_NO_ANSWER',
      what: `${plan.kind} never answers, but an answer is needed here`,
      mend: 'use an endpoint that answers, or configure this one so that it does',
    })
  } else if (replies === 'depends') {
    findings.warning(cursor, {
      code: 'MQB_CONFIG_NO_ANSWER',
      what: `${plan.kind} does not always answer, but an answer is needed here`,
      mend: 'messages that it does not answer will fail',
    })
  }
}

/** Adds the places of a tree to the context. */
export function addPlaces(context: PlanContext, cursor: Cursor): void {
  indexTree(cursor, context.places)
}
