import { setTimeout as pause } from 'node:timers/promises'
import type { ResponseStats } from './response-stats.ts'

const MAX_READINESS_CHECKS = 20
const READINESS_INTERVAL_MS = 500
const MAX_UNAVAILABLE_PERCENT = 1

/** At the end the server must become ready, and must have answered few requests with 503. */
export async function findHealthProblems(url: string, stats: ResponseStats): Promise<string[]> {
  const status = await readiness(url)
  const unavailablePercent = (100 * stats.of(503)) / stats.requests
  return [
    ...(status === 200 ? [] : [`/readyz answers ${status}`]),
    ...(unavailablePercent > MAX_UNAVAILABLE_PERCENT
      ? [`it answered 503 to ${unavailablePercent.toFixed(1)} % of requests`]
      : []),
  ]
}

async function readiness(url: string): Promise<number> {
  for (let checks = 1; ; checks++) {
    const { status } = await fetch(`${url}/readyz`)
    if (status === 200 || checks === MAX_READINESS_CHECKS) return status
    await pause(READINESS_INTERVAL_MS)
  }
}
