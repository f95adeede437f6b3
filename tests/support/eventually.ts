import { setTimeout as pause } from 'node:timers/promises'

/** Polls until the condition holds, for work of other processes. */
export async function eventually<T>(
  poll: () => Promise<T | null | undefined | false>,
  within = { seconds: 60 },
): Promise<T> {
  const deadline = performance.now() + within.seconds * 1000
  for (;;) {
    const answer = await poll()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`not within ${within.seconds} s: ${poll}`)
    await pause(20)
  }
}
