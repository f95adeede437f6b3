/**
 * Works through each queue one item after the other, all queues at the same time: a queue is a connection.
 * The first failure is thrown and stops the others after the item that they are at.
 */
export async function workThrough<T>(queues: Iterable<T>[], work: (item: T) => Promise<void>): Promise<void> {
  let hasFailed = false
  const drain = async (queue: Iterable<T>) => {
    for (const item of queue) {
      if (hasFailed) return
      try {
        await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(queues.map(drain))
}
