import { setTimeout as pause } from 'node:timers/promises'

/** Asks again until the answer is there, for what other processes do in their own time. */
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
