/** Counts event loop ticks until it is stopped. */
export class TickCounter {
  ticks = 0
  #isStopped = false

  constructor() {
    const count = () => {
      this.ticks++
      if (!this.#isStopped) setImmediate(count)
    }
    setImmediate(count)
  }

  stop(): void {
    this.#isStopped = true
  }
}
