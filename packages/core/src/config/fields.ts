import * as z from 'zod'
import type { Side } from '../contract/capabilities.ts'
import { MqbError } from '../errors/mqb-error.ts'
import type { EndpointPlan } from '../plan/plan.ts'
import type { EndpointConfig } from '../plan/route-config.ts'
import { compileTemplate, type Template, type TemplateOptions } from '../template/template.ts'
import './meta.ts'
import { currentPlanner, type NestedFinding, type NestedNeeds } from './planner-slot.ts'

/**
 * A field that holds a whole endpoint of that side, with middlewares of its own. Core validates the subtree before
 * anything opens; the component gets a plan, opened by `plan.open(opening.child('name'))`. A YAML null is the `null`
 * endpoint; a missing key is an error unless the field is `.optional()`. With `mustAnswer` an endpoint that can never
 * answer is refused.
 */
export function endpoint<S extends Side>(
  side: S,
  needs: NestedNeeds = {},
): z.ZodType<EndpointPlan<S>, EndpointConfig | null> {
  // Anything is looked at, so that what is wrong with it can be said; the type is for programs.
  const field = z
    .unknown()
    .transform((raw, context): EndpointPlan<S> => {
      if (raw === undefined) {
        context.issues.push({ code: 'invalid_type', expected: 'object', input: raw })
        return z.NEVER
      }
      const planner = currentPlanner()
      if (planner === undefined) {
        throw new TypeError('an endpoint field can only be parsed by the planner of @mqb/core')
      }
      const planned = planner.planNested(raw, side, needs)
      if (!isFindings(planned)) return planned as EndpointPlan<S>
      for (const finding of planned) context.issues.push(toIssue(finding))
      return z.NEVER
    })
    .meta({ endpoint: side })
  return field as z.ZodType<EndpointPlan<S>, EndpointConfig | null>
}

function isFindings<T>(planned: T | readonly unknown[]): planned is readonly unknown[] {
  return Array.isArray(planned)
}

/** Carries a finding through zod, which puts the path of the field in front. */
function toIssue(finding: NestedFinding): z.core.$ZodRawIssue {
  return {
    code: 'custom',
    path: [...finding.path],
    message: finding.what,
    params: { finding },
    input: undefined,
  }
}

/**
 * A text with `${namespace:selector}` tokens, compiled: the component gets a `Template`. `${env:NAME}` is read while
 * the configuration is loaded; a variable that is not set is an error there.
 */
export function template(options: Pick<TemplateOptions, 'escape'> = {}): z.ZodType<Template, string> {
  return z
    .string()
    .transform((text, context): Template => {
      const env = currentPlanner()?.env
      try {
        return compileTemplate(text, { ...options, ...(env === undefined ? {} : { env }) })
      } catch (error) {
        if (!MqbError.is(error)) throw error
        context.issues.push(toIssue({ code: error.code, path: [], what: error.what, mend: error.mend ?? '' }))
        return z.NEVER
      }
    })
    .meta({ template: true })
}

/** A text that is never shown: not in logs, errors, status, schemas or pages. Values from 1 character. */
export function secret(): z.ZodString {
  return z.string().min(1).meta({ secret: true })
}

// A timer of Node that is asked for more fires at once.
const longestTimerMs = 2_147_483_647

/**
 * A time in whole milliseconds, up to the longest that a timer can wait: 2147483647, nearly 25 days.
 *
 * @param least 1 where no time at all makes no sense.
 */
export function milliseconds(least: 0 | 1): z.ZodInt {
  return z.int().min(least).max(longestTimerMs)
}

/** What an encrypted connection needs: the same block for every connector. */
export function tls() {
  return z
    .strictObject({
      required: z.boolean().default(false).meta({
        description: 'Switches TLS on; as a server it needs a certificate and a key.',
      }),
      ca_file: z
        .string()
        .min(1)
        .optional()
        .meta({
          description: 'PEM bundle to verify the other side with, instead of the public roots.',
          examples: ['/etc/mqb/ca.pem'],
        }),
      cert_file: z
        .string()
        .min(1)
        .optional()
        .meta({
          description: 'Own certificate chain, PEM.',
          examples: ['/etc/mqb/client.pem'],
        }),
      key_file: z
        .string()
        .min(1)
        .optional()
        .meta({
          description: 'Private key of the own certificate, PEM.',
          examples: ['/etc/mqb/client.key'],
        }),
      cert_password: secret().optional().meta({
        description: 'Passphrase of an encrypted private key.',
      }),
      accept_invalid_certs: z.boolean().default(false).meta({
        description: 'Encrypts without verifying the other side; logged as a warning at start.',
      }),
    })
    .meta({ description: 'Encryption of the connection.' })
}

export type TlsConfig = z.output<ReturnType<typeof tls>>
