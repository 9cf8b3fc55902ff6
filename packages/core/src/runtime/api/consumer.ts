import { BridgeConsumer } from '../bridge/bridge-consumer.ts'
import { defaultBridge, documentSetting } from './default-bridge.ts'
import { type DocumentSource, endpointFrom } from './document.ts'

/** An input of the default bridge that is used without a route. */
export class Consumer extends BridgeConsumer {
  /**
   * @param path a YAML or JSON file: one input, or a document with `routes`.
   * @param name which route's input; left out: the document holds only one.
   * @throws {ConfigError} with every problem that was found.
   */
  static fromFile(path: string, name?: string): Consumer {
    return create({ file: path }, name)
  }

  /** Like `fromFile`, from a text. */
  static fromStr(text: string, name?: string): Consumer {
    return create({ text }, name)
  }

  /** Like `fromFile`, from an object. */
  static fromConfig(config: unknown, name?: string): Consumer {
    return create({ raw: config }, name)
  }
}

function create(source: DocumentSource, name: string | undefined): Consumer {
  const plan = endpointFrom(source, 'input', name, documentSetting())
  return defaultBridge().useEndpoint(plan, context => new Consumer(name ?? plan.path, plan, context))
}
