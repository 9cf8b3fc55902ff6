import { fileURLToPath } from 'node:url'
import type {
  AckReason,
  BackgroundCommits,
  Batch,
  BatchParts,
  Capabilities,
  CheckpointStore,
  ConfigProblem,
  ConfigSchema,
  Consumer,
  DedupStore,
  EndpointDefinition,
  EndpointPlan,
  EndpointStatus,
  ErrorCodeTable,
  ErrorKind,
  JsonSchema,
  Message,
  MetadataPairs,
  MiddlewareDefinition,
  MqbError,
  Opening,
  Outcome,
  Outcomes,
  PackedMessages,
  Plugin,
  Publisher,
  ReceiveLimit,
  RoutePlan,
  Side,
  StateStore,
  StoreOf,
  Template,
  TemplateScope,
} from '@mqb/core'
import * as core from '@mqb/core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { exportedNames } from '../../../tooling/workspace/exported-names.ts'

// The compiler is the judge of most of this; the test only has to run.
describe('the types of core', () => {
  it('of the two contracts', () => {
    expectTypeOf<Consumer>().toEqualTypeOf<{
      receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch>
      pin(): Promise<void>
      status(): EndpointStatus
      close(): Promise<void>
    }>()
    expectTypeOf<Publisher>().toEqualTypeOf<{
      send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes>
      sendPacked?(packed: PackedMessages, signal: AbortSignal): Promise<Outcomes> | undefined
      flush(): Promise<void>
      status(): EndpointStatus
      close(): Promise<void>
    }>()
    expectTypeOf<Batch>().toEqualTypeOf<{
      readonly messages: readonly Message[]
      readonly packed?: PackedMessages | undefined
      commit(outcomes: Outcomes): Promise<void>
    }>()
    expectTypeOf(core.wrapConsumer).toEqualTypeOf<
      (inner: Consumer, overrides: Partial<Consumer>) => Consumer
    >()
    expectTypeOf(core.wrapPublisher).toEqualTypeOf<
      (inner: Publisher, overrides: Partial<Publisher>) => Publisher
    >()
  })

  it('of outcomes', () => {
    expectTypeOf<Outcomes>().toEqualTypeOf<typeof core.ALL_ACKED | readonly Outcome[]>()
    expectTypeOf<Outcome['kind']>().toEqualTypeOf<'ack' | 'reply' | 'failure'>()
    expectTypeOf<Extract<Outcome, { kind: 'ack' }>['as']>().toEqualTypeOf<AckReason>()
    expectTypeOf(core.ack).toEqualTypeOf<(as?: AckReason) => Outcome>()
    expectTypeOf(core.reply).toEqualTypeOf<(message: Message) => Outcome>()
    expectTypeOf(core.failure).toEqualTypeOf<(error: MqbError, message?: Message) => Outcome>()
    expectTypeOf(core.settles).toEqualTypeOf<(outcome: Outcome) => boolean>()
    expectTypeOf(core.repeat).returns.toEqualTypeOf<readonly Outcome[]>()
    expectTypeOf(core.outcomeAt).parameters.toEqualTypeOf<[outcomes: Outcomes, index: number]>()
    expectTypeOf(core.outcomeList).parameters.toEqualTypeOf<[outcomes: Outcomes, count: number]>()
    expectTypeOf(core.worstOutcome).toEqualTypeOf<(outcomes: readonly Outcome[]) => Outcome>()
  })

  it('of batches', () => {
    expectTypeOf(core.emptyBatch).toEqualTypeOf<Batch>()
    expectTypeOf(core.mergeBatches).toEqualTypeOf<(batches: readonly Batch[]) => Batch>()
    expectTypeOf(core.splitBatch).toEqualTypeOf<(batch: Batch) => BatchParts>()
    expectTypeOf(core.keepSubset).returns.toEqualTypeOf<Batch>()
    expectTypeOf(core.replaceOneToOne).returns.toEqualTypeOf<Batch>()
    expectTypeOf(core.collapse).returns.toEqualTypeOf<Batch>()
    expectTypeOf(core.expand).returns.toEqualTypeOf<Batch>()
    expectTypeOf(core.scatterOutcomes).returns.toEqualTypeOf<readonly Outcome[]>()
    expectTypeOf(core.createBackgroundCommits).returns.toEqualTypeOf<BackgroundCommits>()
  })

  it('of messages', () => {
    expectTypeOf(core.Message).toBeConstructibleWith('text', { key: 'value' }, { high: 0n, low: 1n })
    expectTypeOf(core.Message).toBeConstructibleWith(new Uint8Array(4), ['key', 'value'], undefined, 1, 2)
    expectTypeOf(core.Message).toBeConstructibleWith(null)
    expectTypeOf<Message['id']>().toEqualTypeOf<string>()
    expectTypeOf<Message['payload']>().toEqualTypeOf<Buffer>()
    expectTypeOf<Message['json']>().returns.toEqualTypeOf<unknown>()
    expectTypeOf<Message['metadata']>().toEqualTypeOf<Record<string, string>>()
    expectTypeOf<Message['getMetadata']>().returns.toEqualTypeOf<string | undefined>()
    expectTypeOf<Message['derive']>().returns.toEqualTypeOf<Message>()
    expectTypeOf(core.Message.is).guards.toEqualTypeOf<Message>()
    expectTypeOf(core.publishableMetadata).toEqualTypeOf<(pairs: MetadataPairs) => MetadataPairs>()
    expectTypeOf(core.receivedMetadata).toEqualTypeOf<(pairs: MetadataPairs) => MetadataPairs>()
    expectTypeOf(core.parseId).toEqualTypeOf<(text: string) => string | undefined>()
  })

  it('of errors', () => {
    expectTypeOf<ErrorKind>().toEqualTypeOf<'config' | 'connection' | 'retryable' | 'permanent'>()
    expectTypeOf(core.MqbError.is).guards.toEqualTypeOf<MqbError>()
    expectTypeOf<MqbError>().toExtend<Error>()
    expectTypeOf(core.toMqbError).returns.toEqualTypeOf<MqbError>()
    expectTypeOf(core.closedError).returns.toEqualTypeOf<MqbError>()
    expectTypeOf(core.notSentError).returns.toEqualTypeOf<MqbError>()
    expectTypeOf(core.EndOfStream.is).guards.toEqualTypeOf<core.EndOfStream>()
    expectTypeOf(core.Gap).constructorParameters.toEqualTypeOf<[{ requested: string; base?: string }]>()
    expectTypeOf<{ MQB_X: { kind: 'log'; meaning: string; mend: string } }>().toExtend<ErrorCodeTable>()
  })

  it('of plugins', () => {
    expectTypeOf(core.definePlugin).toEqualTypeOf<(plugin: Omit<Plugin, 'contract'>) => Plugin>()
    expectTypeOf(core.noCapabilities).toEqualTypeOf<Capabilities>()
    const endpoint = core.defineEndpoint({
      summary: '',
      config: z.strictObject({ size: z.int().default(1) }),
      examples: [],
      describe: config => {
        expectTypeOf(config).toEqualTypeOf<{ size: number }>()
        return ''
      },
      capabilities: (_config, side) => {
        expectTypeOf(side).toEqualTypeOf<Side>()
        return core.noCapabilities
      },
      openConsumer: async (config, opening) => {
        expectTypeOf(config.size).toEqualTypeOf<number>()
        expectTypeOf(opening).toEqualTypeOf<Opening>()
        throw new Error('nothing is opened here')
      },
    })
    expectTypeOf(endpoint).toEqualTypeOf<EndpointDefinition<{ size: number }>>()
    const middleware = core.defineMiddleware({
      summary: '',
      config: z.strictObject({}),
      examples: [],
      wrapPublisher: inner => {
        expectTypeOf(inner).toEqualTypeOf<Publisher>()
        return inner
      },
    })
    expectTypeOf(middleware).toExtend<MiddlewareDefinition<Record<string, never>>>()
    const plugin = core.definePlugin({ name: 'x', endpoints: { endpoint }, middlewares: { middleware } })
    expect(plugin.contract).toBe(core.contractVersion)
    expectTypeOf<JsonSchema>().toExtend<ConfigSchema<unknown>>()
  })

  it('of plans', () => {
    expectTypeOf<EndpointPlan<'input'>['open']>().returns.resolves.toEqualTypeOf<Consumer>()
    expectTypeOf<EndpointPlan<'output'>['open']>().returns.resolves.toEqualTypeOf<Publisher>()
    expectTypeOf<RoutePlan['input']>().toEqualTypeOf<EndpointPlan<'input'>>()
    expectTypeOf<RoutePlan['warnings']>().toEqualTypeOf<readonly ConfigProblem[]>()
  })

  it('of stores', () => {
    expectTypeOf<StoreOf<'checkpoint'>>().toEqualTypeOf<CheckpointStore>()
    expectTypeOf<StoreOf<'dedup'>>().toEqualTypeOf<DedupStore>()
    expectTypeOf<StoreOf<'state'>>().toEqualTypeOf<StateStore>()
  })

  it('of templates', () => {
    expectTypeOf(core.compileTemplate).returns.toEqualTypeOf<Template>()
    expectTypeOf<Template['render']>().toEqualTypeOf<
      (message: Message, scope: TemplateScope) => string | undefined
    >()
    expectTypeOf(core.createTemplateScope).returns.toEqualTypeOf<TemplateScope>()
  })

  it('are about everything that is exported', () => {
    const names = exportedNames(fileURLToPath(new URL('../src/index.ts', import.meta.url)))
    expect(names).toEqual([...types, ...values].sort())
    expect(Object.keys(core).sort()).toEqual(values.toSorted())
  })
})

const types: readonly string[] = [
  'AckReason',
  'BackgroundCommits',
  'Batch',
  'BatchParts',
  'Capabilities',
  'ChangeContext',
  'Checkpoint',
  'CheckpointStore',
  'Clock',
  'ConfigProblem',
  'ConfigSchema',
  'Consumer',
  'ContractVersion',
  'Counters',
  'CustomConfig',
  'DedupStore',
  'EndpointConfig',
  'EndpointConfigs',
  'EndpointDefinition',
  'EndpointExample',
  'EndpointPlan',
  'EndpointStatus',
  'ErrorCodeEntry',
  'ErrorCodeTable',
  'ErrorKind',
  'IdHalves',
  'JsonSchema',
  'Lack',
  'LogFields',
  'LogLevel',
  'Logger',
  'MetadataInput',
  'MetadataPairs',
  'MiddlewareConfig',
  'MiddlewareConfigs',
  'MiddlewareDefinition',
  'MiddlewarePlan',
  'MqbErrorInit',
  'Opening',
  'Outcome',
  'Outcomes',
  'PackedMessages',
  'PackedRun',
  'Plugin',
  'PrepareContext',
  'Publisher',
  'ReceiveLimit',
  'Reservation',
  'RouteConfig',
  'RouteOptions',
  'RoutePlan',
  'SchemeDefinition',
  'SchemeUri',
  'Secrets',
  'Side',
  'StateStore',
  'StateWrite',
  'StoreKind',
  'StoreOf',
  'StoreProvider',
  'Template',
  'TemplateOptions',
  'TemplateScope',
  'VersionedState',
]

const values: readonly string[] = [
  'ALL_ACKED',
  'EndOfStream',
  'Gap',
  'Message',
  'MqbError',
  'ack',
  'assertOutcomeCount',
  'closedError',
  'collapse',
  'collapseOutcome',
  'compileTemplate',
  'contractVersion',
  'createBackgroundCommits',
  'createTemplateScope',
  'defineEndpoint',
  'defineMiddleware',
  'definePlugin',
  'describeThrown',
  'emptyBatch',
  'expand',
  'expandOutcomes',
  'failure',
  'idFromBytes',
  'idToBytes',
  'isNotSent',
  'keepSubset',
  'mergeBatches',
  'mintId',
  'noCapabilities',
  'notSentError',
  'outcomeAt',
  'outcomeList',
  'pairsFromRecord',
  'parseId',
  'pickMessages',
  'publishableMetadata',
  'receivedMetadata',
  'repeat',
  'replaceOneToOne',
  'reply',
  'scatterOutcomes',
  'settles',
  'sourcePrefix',
  'splitBatch',
  'toMqbError',
  'worstOutcome',
  'wrapConsumer',
  'wrapPublisher',
]
