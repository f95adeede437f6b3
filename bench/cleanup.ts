type Step = () => void | Promise<void>

/** What must be undone at the end, however it comes: the latest first. */
export class Cleanup {
  readonly #steps = new Set<Step>()
  #running: Promise<void> | null = null

  /** Returns what takes the step off the list again. */
  add(step: Step): () => void {
    const own = () => step()
    this.#steps.add(own)
    return () => void this.#steps.delete(own)
  }

  run(): Promise<void> {
    this.#running ??= this.#runAll()
    return this.#running
  }

  async #runAll(): Promise<void> {
    for (const step of [...this.#steps].reverse()) {
      try {
        await step()
      } catch (error) {
        console.error(`while cleaning up: ${(error as Error).message}`)
      }
    }
  }
}
