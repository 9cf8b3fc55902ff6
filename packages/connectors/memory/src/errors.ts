import { type ErrorCodeTable, type ErrorKind, MqbError, type MqbErrorInit } from '@mqb/core'

/** Every error code of this package: what it means and what to do. The docs page is made from it. */
export const errorCodes = {
  MQB_MEMORY_TOPIC_MODE: {
    kind: 'config',
    meaning: 'One topic is used as a queue by one endpoint and as an event store by another.',
    mend: 'Set `subscribe_mode` on every endpoint of the topic, or on none.',
  },
  MQB_MEMORY_TOPIC_TEMPLATE: {
    kind: 'config',
    meaning:
      'The topic holds `${…}` tokens where no message can fill them: on an input, or in a socket address.',
    mend: 'Write a fixed topic.',
  },
  MQB_MEMORY_TOPIC_UNRESOLVED: {
    kind: 'permanent',
    meaning: 'A token of the topic has no value for this message.',
    mend: 'Add the missing field or metadata before the output, or keep such messages with `dlq`.',
  },
  MQB_MEMORY_CHANNEL_CLOSED: {
    kind: 'retryable',
    meaning: 'The topic was closed by code of this process.',
    mend: 'Open the topic again, or end the route that sends to it.',
  },
  MQB_MEMORY_REQUEST_TIMEOUT: {
    kind: 'retryable',
    meaning: 'No reply came within `request_timeout_ms`.',
    mend: 'Check that a route reads the topic and replies, or raise `request_timeout_ms`.',
  },
  MQB_MEMORY_DUPLICATE_CORRELATION_ID: {
    kind: 'permanent',
    meaning: 'A request with the same `correlation_id` is still waiting for its reply.',
    mend: 'Give each request a `correlation_id` of its own, or none: a fresh one is then added.',
  },
  MQB_MEMORY_REQUEST_FAILED: {
    kind: 'permanent',
    meaning: 'The route that took the request failed it for good.',
    mend: 'Look at the cause: it is the error of that route.',
  },
  MQB_MEMORY_REQUEST_NACKED: {
    kind: 'retryable',
    meaning: 'The route that took the request could not answer now, and its input does not redeliver.',
    mend: 'Put `retry` on this output, or set `enable_nack: true` on the input that answers.',
  },
  MQB_MEMORY_IPC_PLATFORM: {
    kind: 'config',
    meaning: 'The address form belongs to another operating system.',
    mend: 'Use `pipe://name` on Windows, `unix:///path.sock` elsewhere, or `ipc://name` on both.',
  },
  MQB_MEMORY_IPC_PATH: {
    kind: 'config',
    meaning:
      'The socket cannot be placed there: no writable folder, a path that is too long, or something else is there.',
    mend: 'Give a full path in a folder that this user may write: `ipc:///run/user/1000/orders.sock`.',
  },
  MQB_MEMORY_IPC_LIVE: {
    kind: 'config',
    meaning: 'Another process reads from this socket already.',
    mend: 'Stop the other process, or give this input another address.',
  },
  MQB_MEMORY_IPC_NO_CONSUMER: {
    kind: 'connection',
    meaning: 'Nothing listens at the socket.',
    mend: 'Start the consuming process first, and check that both resolve the address to the same path.',
  },
  MQB_MEMORY_IPC_LOST: {
    kind: 'connection',
    meaning: 'The consuming process closed the socket.',
    mend: 'Look at the log of the consuming process; the route connects again by itself.',
  },
  MQB_MEMORY_IPC_LISTEN: {
    kind: 'connection',
    meaning: 'The operating system refused to listen at the socket.',
    mend: 'Check the rights of the folder and the free space of its file system.',
  },
  MQB_MEMORY_IPC_TOO_LARGE: {
    kind: 'permanent',
    meaning: 'The message alone is larger than a frame may be (104857600 bytes).',
    mend: 'Split the message, or hand it over through a file.',
  },
  MQB_MEMORY_IPC_FRAME: {
    kind: 'log',
    meaning: 'The bytes on the socket are not frames of mqb; the connection that sent them was closed.',
    mend: 'Check which program writes to the socket.',
  },
  MQB_POSITION_LOST: {
    kind: ['permanent', 'log'],
    meaning:
      'Events were dropped before this subscriber had read them. With `position_lost: fail` the route ends; else it goes on as that field says.',
    mend: 'Raise the values of `retention` or make the subscriber faster; `position_lost: earliest` goes on without them.',
  },
  MQB_MEMORY_EVENTS_DROPPED: {
    kind: 'log',
    meaning: 'The event store held more than `retention.max_count` events and dropped the oldest.',
    mend: 'Raise `retention.max_count`, or make the slowest subscriber faster.',
  },
  MQB_MEMORY_NACKED_DROPPED: {
    kind: 'log',
    meaning: 'Messages failed for now and are gone, because the input does not redeliver.',
    mend: 'Set `enable_nack: true` on the input, or put `retry` and `dlq` on the output.',
  },
  MQB_MEMORY_IPC_BLOCKED: {
    kind: 'log',
    meaning: 'The consumer at the other end of the socket has not read for 5 seconds; the send waits.',
    mend: 'Look at the consuming process: it is stopped, or its output is slow.',
  },
  MQB_MEMORY_IPC_UNPROCESSED: {
    kind: 'log',
    meaning: 'The input was closed while received batches waited; they are lost when the process ends.',
    mend: 'Stop the publishing process first, and drain the input.',
  },
} as const satisfies ErrorCodeTable

export type MemoryErrorCode = keyof typeof errorCodes

type ThrownCode = {
  [Code in MemoryErrorCode]: (typeof errorCodes)[Code]['kind'] extends ErrorKind ? Code : never
}[MemoryErrorCode]

/** What senders get once code of this process has closed the topic. */
export function topicClosedError(): MqbError {
  return memoryError('MQB_MEMORY_CHANNEL_CLOSED', 'the topic is closed and takes no more messages')
}

/** An error of this package: kind and mend come from the table. */
export function memoryError(
  code: ThrownCode,
  what: string,
  extra: Pick<MqbErrorInit, 'cause' | 'details' | 'where'> = {},
): MqbError {
  const { kind, mend } = errorCodes[code]
  return new MqbError({ kind, code, what, mend, ...extra })
}
