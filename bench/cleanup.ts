type Step = () => void | Promise<void>

/** Clean-up steps that run at the end of the process, also after a signal. The last step that was added runs first. */
export class Cleanup {
  readonly #steps = new Set<Step>()
  #running: Promise<void> | null = null

  /** Returns a function that removes the step. */
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
