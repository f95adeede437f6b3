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
