import type { Publisher as PublisherContract } from '../../contract/publisher.ts'
import { BridgePublisher } from '../bridge/bridge-publisher.ts'
import { defaultBridge, documentSetting } from './default-bridge.ts'
import { type DocumentSource, endpointFrom } from './document.ts'

/** An output of the default bridge that is used without a route. */
export class Publisher extends BridgePublisher {
  /**
   * @param path a YAML or JSON file: one output, or a document with `publishers` or `routes`.
   * @param name which publisher, or which route's output; left out: the document holds only one.
   * @throws {ConfigError} with every problem that was found.
   */
  static fromFile(path: string, name?: string): Publisher {
    return create({ file: path }, name)
  }

  /** Like `fromFile`, from a text. */
  static fromStr(text: string, name?: string): Publisher {
    return create({ text }, name)
  }

  /** Like `fromFile`, from an object. */
  static fromConfig(config: unknown, name?: string): Publisher {
    return create({ raw: config }, name)
  }

  /**
   * Opens it and makes it known under a name, so that routes can use it by `ref`. It stays this program's to close.
   *
   * @throws {MqbError} `MQB_NAME_TAKEN`.
   */
  async register(name: string): Promise<void> {
    const publisher: PublisherContract = await this.chain()
    defaultBridge().registry.registerPublisher(name, { publisher, capabilities: this.plan.capabilities })
    registered.set(name, this)
  }
}

const registered = new Map<string, Publisher>()

/** A publisher that was registered under a name. */
export function getPublisher(name: string): Publisher | undefined {
  return registered.get(name)
}

/** Whether there was one. It stays open. */
export function unregisterPublisher(name: string): boolean {
  registered.delete(name)
  return defaultBridge().registry.unregisterPublisher(name)
}

function create(source: DocumentSource, name: string | undefined): Publisher {
  const plan = endpointFrom(source, 'output', name, documentSetting())
  return defaultBridge().useEndpoint(plan, context => new Publisher(name ?? plan.path, plan, context))
}
