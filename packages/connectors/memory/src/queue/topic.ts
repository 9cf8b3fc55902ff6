import { Channel } from './channel.ts'
import { Requests } from './requests.ts'

/** A topic that its receivers share: each message goes to one of them. */
export class QueueTopic {
  readonly mode = 'queue'
  readonly key: string
  readonly channel: Channel
  readonly requests: Requests = new Requests()
  /** Endpoints that have it open. */
  users = 0

  constructor(key: string, capacity: number) {
    this.key = key
    this.channel = new Channel(capacity)
  }

  /** Nothing would be lost if it were forgotten. */
  get disposable(): boolean {
    return this.users === 0 && this.channel.idle && this.requests.size === 0
  }

  close(): void {
    this.channel.close()
  }
}
