/** Lets one loop wait until somebody says that something has changed. A word that comes early is not lost. */
export class Wake {
  private resolve: (() => void) | undefined
  private notified = false

  notify(): void {
    const resolve = this.resolve
    this.resolve = undefined
    if (resolve === undefined) this.notified = true
    else resolve()
  }

  wait(): Promise<void> {
    if (this.notified) {
      this.notified = false
      return Promise.resolve()
    }
    return new Promise(resolve => {
      this.resolve = resolve
    })
  }
}
