import { owned } from '../../kernel/owned-promise.ts'

/** Works of the same name come one after the other, whatever becomes of those before. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work)
    const through = done.then(
      () => {},
      () => {},
    )
    this.#last.set(name, through)
    void owned(
      through.then(() => {
        if (this.#last.get(name) === through) this.#last.delete(name)
      }),
    )
    return done
  }

  /** As `take`; who waits for longer is refused with the error, and his work is never begun. */
  takeWithin<T>(name: string, longestMs: number, late: Error, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isRefused = false
      const timer = setTimeout(() => {
        isRefused = true
        reject(late)
      }, longestMs)
      const done = this.take(name, async () => {
        clearTimeout(timer)
        if (!isRefused) resolve(await work())
      })
      done.catch(reject)
    })
  }
}
