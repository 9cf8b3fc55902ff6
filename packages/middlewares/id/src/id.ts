import {
  type Consumer,
  createTemplateScope,
  type Message,
  type Opening,
  replaceOneToOne,
  type Template,
  wrapConsumer,
} from '@mqb/core'

/** Metadata key of the identity. Unlike `mqb.src.*` it is published: it describes the message, not the hop. */
const key = 'mqb.id'

/**
 * Sets `mqb.id` where every token of the template resolves. A message of which one does not goes on without it, also
 * without one that it brought: a part of an identity would be shared by messages that have nothing in common.
 */
export function idConsumer(inner: Consumer, template: Template, opening: Opening): Consumer {
  const scope = createTemplateScope(opening.clock)
  let warned = false

  function missing(message: Message): Message {
    opening.counters.add('without_id')
    if (!warned) {
      warned = true
      opening.log.warn(
        `${template.unresolved(message)} of ${JSON.stringify(template.source)} does not resolve, so the message goes on without ${key}; further ones are told at level debug`,
        { code: 'MQB_ID_UNRESOLVED', where: opening.path, id: message.id },
      )
    } else if (opening.log.isEnabled('debug'))
      opening.log.debug(`${template.unresolved(message)} does not resolve: no ${key}`, {
        code: 'MQB_ID_UNRESOLVED',
        id: message.id,
      })
    return message.withoutMetadata(name => name === key)
  }

  function identified(message: Message): Message {
    const id = template.render(message, scope)
    return id === undefined ? missing(message) : message.withMetadata([key, id])
  }

  return wrapConsumer(inner, {
    async receive(limit, signal) {
      const batch = await inner.receive(limit, signal)
      return batch.messages.length === 0 ? batch : replaceOneToOne(batch, batch.messages.map(identified))
    },
  })
}
