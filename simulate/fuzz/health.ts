import { setTimeout as pause } from 'node:timers/promises'
import type { Tally } from './tally.ts'

const MOST_LOOKS = 20
const LOOK_MS = 500
/** Of a hundred requests, those that a server may have no room for. */
const MOST_BUSY_PERCENT = 1

/** What is wrong with the server at the end: it must be ready soon, and have served nearly all that it was asked. */
export async function unhealthy(url: string, tally: Tally): Promise<string[]> {
  const status = await readiness(url)
  const busyPercent = (100 * tally.of(503)) / tally.requests
  return [
    ...(status === 200 ? [] : [`/readyz answers ${status}`]),
    ...(busyPercent > MOST_BUSY_PERCENT
      ? [`it answered 503 to ${busyPercent.toFixed(1)} % of requests`]
      : []),
  ]
}

async function readiness(url: string): Promise<number> {
  for (let looks = 1; ; looks++) {
    const { status } = await fetch(`${url}/readyz`)
    if (status === 200 || looks === MOST_LOOKS) return status
    await pause(LOOK_MS)
  }
}
