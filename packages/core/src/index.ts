// What plugins are made of. What else the folders below export is core's own.
export { type BackgroundCommits, createBackgroundCommits } from './batch/background-commits.ts'
export { emptyBatch, mergeBatches } from './batch/merge.ts'
export { type BatchParts, splitBatch } from './batch/parts.ts'
export { collapse, collapseOutcome, expand, expandOutcomes } from './batch/shape.ts'
export { keepSubset, pickMessages, replaceOneToOne, scatterOutcomes } from './batch/subset.ts'
export { wrapConsumer, wrapPublisher } from './batch/wrap.ts'
export type * from './contract/index.ts'
export { contractVersion, defineEndpoint, defineMiddleware, definePlugin, noCapabilities } from './define.ts'
export { closedError } from './errors/closed.ts'
export type { ErrorCodeEntry, ErrorCodeTable } from './errors/code-entry.ts'
export { type ErrorKind, MqbError, type MqbErrorInit } from './errors/mqb-error.ts'
export { describeThrown, toMqbError } from './errors/normalize.ts'
export { isNotSent, notSentError } from './errors/not-sent.ts'
export { EndOfStream, Gap } from './errors/signals.ts'
export { type IdHalves, idFromBytes, idToBytes, mintId, parseId } from './message/id.ts'
export { Message, type MetadataInput } from './message/message.ts'
export {
  type MetadataPairs,
  pairsFromRecord,
  publishableMetadata,
  receivedMetadata,
  sourcePrefix,
} from './message/metadata.ts'
export { ALL_ACKED } from './outcome/all-acked.ts'
export {
  ack,
  assertOutcomeCount,
  failure,
  outcomeAt,
  outcomeList,
  repeat,
  reply,
  settles,
  worstOutcome,
} from './outcome/outcome.ts'
export type {
  ConfigProblem,
  EndpointPlan,
  MiddlewarePlan,
  RouteOptions,
  RoutePlan,
} from './plan/plan.ts'
// With a star: plugins add to the interfaces in it, which must not be an alias here.
export type * from './plan/route-config.ts'
export {
  compileTemplate,
  createTemplateScope,
  type Template,
  type TemplateOptions,
  type TemplateScope,
} from './template/template.ts'
