import { setTimeout as pause } from 'node:timers/promises'

/** Polls until the condition holds, for work of other processes. */
export async function eventually<T>(
  ask: () => Promise<T | null | undefined | false>,
  within = { seconds: 60 },
): Promise<T> {
  const deadline = performance.now() + within.seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`not within ${within.seconds} s: ${ask}`)
    await pause(20)
  }
}
