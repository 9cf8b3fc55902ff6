import { fileURLToPath } from 'node:url'
import type {
  Capabilities,
  ConfigProblem,
  EndpointDefinition,
  EndpointPlan,
  Plugin,
  Publisher,
  RouteOptions,
  RoutePlan,
  Side,
  Template,
} from '@mqb/core'
import type {
  AppSettings,
  ConfigSource,
  Environment,
  KnownPart,
  LoadedConfig,
  LoadOptions,
  NamedPublisher,
  PartKind,
  PlanOptions,
  Registry,
  RegistryOptions,
  TlsConfig,
  UriHint,
} from '@mqb/core/config'
import * as config from '@mqb/core/config'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { exportedNames } from '../../../../tooling/workspace/exported-names.ts'

// The compiler is the judge of most of this; the test only has to run.
describe('the types of the configuration', () => {
  it('of fields', () => {
    const schema = z.strictObject({
      to: config.endpoint('output'),
      from: config.endpoint('input', { mustAnswer: true }).optional(),
      key: config.template(),
      password: config.secret(),
      pause_ms: config.milliseconds(0).default(5),
      tls: config.tls().optional(),
    })
    expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<{
      to: EndpointPlan<'output'>
      from?: EndpointPlan<'input'> | undefined
      key: Template
      password: string
      pause_ms: number
      tls?: TlsConfig | undefined
    }>()
    expectTypeOf<z.input<typeof schema>['key']>().toEqualTypeOf<string>()
    expectTypeOf<UriHint>().toEqualTypeOf<'url' | 'path' | 'origin' | 'subscheme' | 'query'>()
    z.string().meta({ description: '', side: 'input', uri: 'path', defaultFrom: 'route' })
    // @ts-expect-error Metadata of fields is checked.
    z.string().meta({ side: 'left' })
  })

  it('of the registry', () => {
    expectTypeOf(config.createRegistry).toEqualTypeOf<(options?: RegistryOptions) => Registry>()
    expectTypeOf<Registry['register']>().toEqualTypeOf<(plugin: Plugin) => void>()
    expectTypeOf<Registry['endpoint']>().returns.toEqualTypeOf<EndpointDefinition | undefined>()
    expectTypeOf<Registry['packageOf']>().parameters.toEqualTypeOf<[kind: PartKind, name: string]>()
    expectTypeOf<Registry['known']>().toEqualTypeOf<readonly KnownPart[]>()
    expectTypeOf<NamedPublisher>().toEqualTypeOf<{
      readonly publisher: Publisher
      readonly capabilities: Capabilities
    }>()
  })

  it('of loading', () => {
    expectTypeOf(config.loadConfig).parameters.toEqualTypeOf<
      [options: LoadOptions & { readonly registry: Registry }]
    >()
    expectTypeOf(config.loadConfig).returns.toEqualTypeOf<LoadedConfig>()
    expectTypeOf(config.readConfig).returns.toEqualTypeOf<ConfigSource>()
    expectTypeOf(config.planConfig).toEqualTypeOf<
      (source: ConfigSource, registry: Registry) => LoadedConfig
    >()
    expectTypeOf(config.checkConfig).returns.resolves.toEqualTypeOf<ConfigProblem[]>()
    expectTypeOf<LoadedConfig['routes']>().toEqualTypeOf<readonly RoutePlan[]>()
    expectTypeOf<LoadedConfig['settings']>().toEqualTypeOf<AppSettings>()
    expectTypeOf<LoadedConfig['publishers']>().toEqualTypeOf<ReadonlyMap<string, EndpointPlan<'output'>>>()
    expectTypeOf<NodeJS.ProcessEnv>().toExtend<Environment>()
  })

  it('of planning', () => {
    expectTypeOf(config.planRoute).returns.toEqualTypeOf<RoutePlan>()
    expectTypeOf(config.planEndpoint<'input'>).returns.toEqualTypeOf<EndpointPlan<'input'>>()
    expectTypeOf<NonNullable<PlanOptions['defaults']>>().toEqualTypeOf<Partial<RouteOptions>>()
    expectTypeOf(config.prepareRoute).returns.resolves.toEqualTypeOf<ConfigProblem[]>()
    expectTypeOf(config.walkPlans).toEqualTypeOf<(plan: EndpointPlan) => Iterable<EndpointPlan>>()
    expectTypeOf(config.parseUri).toEqualTypeOf<(uri: string, options: config.UriOptions) => unknown>()
    expectTypeOf<config.UriOptions['side']>().toEqualTypeOf<Side>()
  })

  it('of reports', () => {
    expectTypeOf<config.ConfigError['problems']>().toEqualTypeOf<readonly ConfigProblem[]>()
    expectTypeOf(config.assertUsable).toEqualTypeOf<(problems: readonly ConfigProblem[]) => void>()
    expectTypeOf(config.formatReport).toEqualTypeOf<(problems: readonly ConfigProblem[]) => string>()
    expectTypeOf(config.redactUrl).toEqualTypeOf<(text: string) => string>()
    expectTypeOf(config.routeSecrets).toEqualTypeOf<(plan: RoutePlan) => string[]>()
    expectTypeOf(config.secretsInUri).toEqualTypeOf<(uri: string, env: Environment) => string[]>()
    expectTypeOf(config.passwordsInUrl).toEqualTypeOf<(text: string) => string[]>()
    expectTypeOf(config.configSchema).parameters.toEqualTypeOf<[registry: Registry]>()
  })

  it('are about everything that is exported', () => {
    const names = exportedNames(fileURLToPath(new URL('../../src/config/index.ts', import.meta.url)))
    expect(names).toEqual([...types, ...values].sort())
    expect(Object.keys(config).sort()).toEqual(values.toSorted())
  })
})

const types: readonly string[] = [
  'AppSettings',
  'ConfigSource',
  'Environment',
  'KnownPart',
  'LoadOptions',
  'LoadedConfig',
  'NamedPublisher',
  'NestedNeeds',
  'PartKind',
  'PlanOptions',
  'PrepareOptions',
  'Registry',
  'RegistryOptions',
  'TlsConfig',
  'UriHint',
  'UriOptions',
]

const values: readonly string[] = [
  'ConfigError',
  'assertUsable',
  'checkConfig',
  'configSchema',
  'createRegistry',
  'endpoint',
  'formatReport',
  'loadConfig',
  'milliseconds',
  'parseUri',
  'passwordsInUrl',
  'planConfig',
  'planEndpoint',
  'planRoute',
  'prepareRoute',
  'readConfig',
  'redactUrl',
  'routeSecrets',
  'secret',
  'secretsInUri',
  'template',
  'tls',
  'walkPlans',
]
