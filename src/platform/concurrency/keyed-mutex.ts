/**
 * A mutex for each key: tasks of one key run one after the other, tasks of different keys run concurrently.
 *
 * Why: tasks that lock the same row would each hold a database connection while they wait for the row.
 * States: a task waits for the task before it, runs, or is done. A key is kept while a task of the key waits or runs.
 * Invariants: first in, first out for each key. A failing task does not stop the next task. A task that timed out never runs.
 * Limits: a timeout bounds the time in the queue, not the run. The number of waiting tasks is not bounded: callers bound
 * their requests by account. A task that timed out leaves the queue when the task before it ends.
 */
interface QueueTimeout {
  timeoutMs: number
  /** Makes the error of a task that has not started in time. */
  error: () => Error
}

export class KeyedMutex {
  /** The last task of each key. */
  readonly #tails = new Map<string, Promise<void>>()

  /** Rejects with the error of the timeout, or with the error of the task. */
  runExclusive<T>(key: string, task: () => Promise<T>, timeout?: QueueTimeout): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let isExpired = false
    const expire = ({ error }: QueueTimeout) => {
      isExpired = true
      reject(error())
    }
    const timer = timeout && setTimeout(expire, timeout.timeoutMs, timeout)
    const tail: Promise<void> = (this.#tails.get(key) ?? Promise.resolve()).then(async () => {
      clearTimeout(timer)
      try {
        if (!isExpired) resolve(await task())
      } catch (error) {
        reject(error)
      }
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    this.#tails.set(key, tail)
    return promise
  }
}
