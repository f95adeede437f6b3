/**
 * A promise has an owner from the moment it is made: one without a handler ends the process when it is rejected. This
 * gives it one at once. For what is awaited later, which still hears of the failure then, and for what nobody awaits.
 */
export function owned<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

/** One for all, since promises are many. */
const ignore = () => {}

/** Waits for it, but no longer than so many milliseconds: what goes on then is left to itself, and undefined stands for it. */
export function endsWithin<T>(longestMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, longestMs, undefined)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
