import type { MqbError } from '../../errors/mqb-error.ts'

/** What the route sees of a shell. */
export interface SupervisedShell {
  readonly path: string
  readonly isReady: boolean
  readonly lastError: MqbError | undefined
  readonly reconnects: number
  /** Settled batches that wait behind one that was never committed, and so can never be applied. */
  readonly stuckCommits: number
  close(): Promise<void>
}

export interface SupervisorHooks {
  /** The set of open leaves has changed. */
  changed(): void
  /** A leaf was lost or could not be opened; it goes on trying. */
  troubled(error: MqbError): void
  /** A leaf can never be opened. */
  ended(error: MqbError): void
}

/** All shells of one run of a route, also those of nested endpoints. */
export class Supervisor {
  private readonly shells = new Set<SupervisedShell>()
  private readonly hooks: SupervisorHooks
  private waiting: (() => void)[] = []
  private pastReconnects = 0
  /** The route ends: a leaf that begins a new generation need not be opened again. */
  isEnding = false

  constructor(hooks: SupervisorHooks) {
    this.hooks = hooks
  }

  add(shell: SupervisedShell): void {
    this.shells.add(shell)
  }

  remove(shell: SupervisedShell): void {
    if (this.shells.delete(shell)) this.pastReconnects += shell.reconnects
    this.changed()
  }

  get allReady(): boolean {
    for (const shell of this.shells) if (!shell.isReady) return false
    return true
  }

  /** A shell without an open leaf. */
  get notReady(): SupervisedShell | undefined {
    for (const shell of this.shells) if (!shell.isReady) return shell
    return undefined
  }

  get reconnects(): number {
    let sum = this.pastReconnects
    for (const shell of this.shells) sum += shell.reconnects
    return sum
  }

  get stuckCommits(): number {
    let sum = 0
    for (const shell of this.shells) sum += shell.stuckCommits
    return sum
  }

  /** Resolves when every leaf is open. Never rejects; the caller races it with what ends the route. */
  async whenAllReady(): Promise<void> {
    while (!this.allReady)
      await new Promise<void>(resolve => {
        this.waiting.push(resolve)
      })
  }

  changed(): void {
    this.hooks.changed()
    if (!this.allReady) return
    const waiting = this.waiting
    this.waiting = []
    for (const resolve of waiting) resolve()
  }

  troubled(error: MqbError): void {
    this.hooks.changed()
    this.hooks.troubled(error)
  }

  ended(error: MqbError): void {
    this.hooks.changed()
    this.hooks.ended(error)
  }

  /** Those that there are now. */
  get members(): ReadonlySet<SupervisedShell> {
    return new Set(this.shells)
  }

  /** Closes what a chain left behind that could not be built to its end. */
  async closeAllExcept(kept: ReadonlySet<SupervisedShell>): Promise<void> {
    await Promise.all([...this.shells].filter(shell => !kept.has(shell)).map(shell => shell.close()))
  }

  /** Closes what the chain has not closed itself. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.shells].map(shell => shell.close()))
  }
}
