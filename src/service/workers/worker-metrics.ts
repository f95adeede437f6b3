import type { Measured } from '../../platform/observability/metrics.ts'

/** A worker that does not answer in this time is left out. */
const PATIENCE_MS = 2_000

/** Asks all workers what they have measured. */
export class WorkerMetrics {
  readonly #questions = new Map<number, (worker: number, measured: Measured) => void>()
  #last = 0

  /**
   * @param workers their numbers
   * @param ask tells a worker to answer this question
   */
  async gather(
    workers: readonly number[],
    ask: (worker: number, question: number) => void,
  ): Promise<Measured[]> {
    const question = ++this.#last
    const answers = new Map<number, Measured>()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#questions.set(question, (worker, measured) => {
      answers.set(worker, measured)
      if (answers.size === workers.length) resolve()
    })
    const timer = setTimeout(resolve, PATIENCE_MS)
    for (const worker of workers) ask(worker, question)
    if (workers.length === 0) resolve()
    await promise
    clearTimeout(timer)
    this.#questions.delete(question)
    return [...answers.values()]
  }

  hear(worker: number, question: number, measured: Measured): void {
    this.#questions.get(question)?.(worker, measured)
  }
}
