import type { ErrorCodeTable } from './code-entry.ts'

/** Codes of what happens while routes run. */
export const runtimeCodes: ErrorCodeTable = {
  MQB_ABANDONED: {
    kind: 'log',
    meaning: 'Messages had no answer when the route ended. They come again.',
    mend: 'Give the stop more time, or look at why the output is slow.',
  },
  MQB_ACK_ORDER: {
    kind: 'permanent',
    meaning: 'A program acknowledged a batch before an older one, at a source that is committed in order.',
    mend: 'Acknowledge batches in the order in which they were polled.',
  },
  MQB_CLOSED: {
    kind: 'connection',
    meaning: 'An endpoint was used after it was closed. Nothing was acknowledged.',
    mend: 'Nothing: it belongs to a stop or a reconnection. In code of your own, use the endpoint before closing it.',
  },
  MQB_CLOSE_FAILED: {
    kind: 'log',
    meaning: 'An endpoint failed while it closed.',
    mend: 'Report it to the makers of the plugin: closing must not fail.',
  },
  MQB_CLOSE_TIMEOUT: {
    kind: 'log',
    meaning: 'An endpoint did not close in time and was left behind.',
    mend: 'Report it to the makers of the plugin: closing must end within 5 s.',
  },
  MQB_DEADLINE: {
    kind: 'retryable',
    meaning: 'A stop could not wait longer for the output. The messages go back to their source.',
    mend: 'Nothing is lost. Give the stop more time where this is frequent.',
  },
  MQB_DOCUMENT_NAME: {
    kind: 'config',
    meaning:
      'The document does not hold exactly what was asked of it: no entry of that name, or several and no name.',
    mend: 'Pass one of the names that the error lists.',
  },
  MQB_DRAIN_STALLED: {
    kind: ['connection', 'retryable'],
    meaning: 'A drain ended because nothing was acknowledged for a while and something kept failing.',
    mend: 'Mend the cause and start again: what was not delivered is still with the source.',
  },
  MQB_EXPRESSION_MISSING: {
    kind: 'log',
    meaning:
      'A condition compared a value that is absent, or of another type than is needed: the comparison is false. Said once per condition.',
    mend: 'Nothing where that is meant; else give a value with `??`, or test for null first.',
  },
  MQB_EXPRESSION_PAYLOAD: {
    kind: 'permanent',
    meaning: 'An expression names payload fields, and the payload of a message is no JSON object.',
    mend: 'Send JSON objects, or let the middleware drop what is none where it has `on_error`.',
  },
  MQB_EXPRESSION_VALUE: {
    kind: 'permanent',
    meaning:
      'The values of a message do not fit an expression, or a condition gives something else than true or false.',
    mend: 'Correct the expression: the error says where and how; `mqb eval` tries it out.',
  },
  MQB_FLUSH_FAILED: {
    kind: 'log',
    meaning: 'The output failed to bring out what it held back.',
    mend: 'Look at the cause. The messages are answered one by one all the same.',
  },
  MQB_GAP: {
    kind: 'connection',
    meaning: 'The position to go on from is no longer kept by the source.',
    mend: 'The field `position_lost` of the input says what follows.',
  },
  MQB_HANDLER_NOT_JSON: {
    kind: 'permanent',
    meaning: 'A typed handler got a payload that is not JSON.',
    mend: 'Use a plain handler for other formats.',
  },
  MQB_HANDLER_UNKNOWN_KIND: {
    kind: 'permanent',
    meaning: 'No typed handler takes messages of this kind.',
    mend: 'Add a handler for it, or a fallback.',
  },
  MQB_LIMIT_REACHED: {
    kind: 'retryable',
    meaning:
      'The number of messages that the route was to deliver is reached. The others stay with their source.',
    mend: 'Nothing: it is what was asked for.',
  },
  MQB_MESSAGE_DROPPED: {
    kind: 'log',
    meaning: 'A message failed for good and was dropped.',
    mend: 'Look at the reason; a `dlq` keeps such messages.',
  },
  MQB_NACKED: {
    kind: 'retryable',
    meaning: 'A program gave a message back to its source. It comes again.',
    mend: 'Nothing: it is what the program asked for.',
  },
  MQB_NOT_OPEN: {
    kind: 'connection',
    meaning: 'The output is not open, or not yet open again.',
    mend: 'Look at the cause: the route goes on trying.',
  },
  MQB_NOT_SENT: {
    kind: 'retryable',
    meaning: 'A message was held back because one before it failed. It comes again.',
    mend: 'Look at the failure before it.',
  },
  MQB_NO_REPLY: {
    kind: 'permanent',
    meaning: 'A program asked for a reply, and the output took the message without one.',
    mend: 'Use an endpoint that replies, or `send` where no answer is needed.',
  },
  MQB_OUTCOME_COUNT: {
    kind: 'retryable',
    meaning: 'A publisher did not answer with one outcome per message.',
    mend: 'Report it to the makers of the plugin.',
  },
  MQB_ROUTE_BLOCKED: {
    kind: 'log',
    meaning:
      'What a route sends fails for now, again and again, or is not answered. Nothing is lost, nothing moves.',
    mend: 'Mend what the line says; the route goes on by itself.',
  },
  MQB_ROUTE_ENDED: {
    kind: 'log',
    meaning: 'A route has ended, with its counts.',
    mend: 'Nothing.',
  },
  MQB_ROUTE_ENDING: {
    kind: 'connection',
    meaning: 'What was asked for did not happen because the route ends.',
    mend: 'Nothing: it belongs to a stop.',
  },
  MQB_ROUTE_READY: {
    kind: 'log',
    meaning: 'Both ends of a route are open.',
    mend: 'Nothing.',
  },
  MQB_ROUTE_STARTING: {
    kind: 'log',
    meaning: 'A route starts, with the delivery guarantee that follows from its configuration.',
    mend: 'Nothing.',
  },
  MQB_ROUTE_UNBLOCKED: {
    kind: 'log',
    meaning: 'A route that did not get on moves messages again.',
    mend: 'Nothing.',
  },
  MQB_SEND_FAILED: {
    kind: ['connection', 'retryable', 'permanent'],
    meaning:
      'Some messages of `sendBatch` failed. `details.positions` says which, the cause is the first error.',
    mend: 'Look at the cause; send those messages again where its kind is not `permanent`.',
  },
  MQB_STALE_COMMIT: {
    kind: 'log',
    meaning: 'An answer came for messages of a connection that has ended. They come again.',
    mend: 'Nothing: it belongs to a reconnection.',
  },
  MQB_START_TIMEOUT: {
    kind: 'connection',
    meaning: 'A route was not ready within `startup_timeout_ms`. It goes on trying.',
    mend: 'Look at the cause, or raise `startup_timeout_ms` where this is normal.',
  },
  MQB_UNBALANCED: {
    kind: 'log',
    meaning: 'The numbers of a route do not add up when it ends.',
    mend: 'Report it: a component did not say what became of some messages.',
  },
  MQB_UNEXPECTED: {
    kind: ['connection', 'retryable', 'permanent'],
    meaning: 'Something was thrown that says nothing about itself. The cause holds it.',
    mend: 'Look at the cause.',
  },
}
