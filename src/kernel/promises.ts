/**
 * Marks the rejection of a promise as handled, for a promise that is awaited later or by nobody. Without a handler from the
 * start, a rejection ends the process. Code that awaits the promise later still gets the error.
 */
export function withRejectionHandler<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

/** Shared: a function for each promise would cost memory. */
const ignore = () => {}

/** Resolves with undefined after `timeoutMs`. The work itself continues. */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, timeoutMs, undefined)
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
