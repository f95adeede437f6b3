import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { POSTGRES_WAIT_POLL_MS, POSTGRES_WAIT_REPORT_MS, POSTGRES_WAIT_TIMEOUT_MS } from '../limits.ts'

/**
 * Creates a function that waits for one poll interval. All its calls share one deadline: after 2 s it reports what it waits for, and
 * after 60 s it throws an OperatorError. Rejects when the signal is aborted.
 */
export function createBoundedWait(
  report: (step: string) => void,
  signal?: AbortSignal,
): (what: string) => Promise<void> {
  const since = performance.now()
  let isReported = false
  return async (what) => {
    const waitedMs = performance.now() - since
    if (waitedMs > POSTGRES_WAIT_TIMEOUT_MS) {
      throw new OperatorError(
        `Waited ${POSTGRES_WAIT_TIMEOUT_MS / 1000} s for ${what}: try again, or see postgres.log.`,
      )
    }
    if (waitedMs > POSTGRES_WAIT_REPORT_MS && !isReported) {
      isReported = true
      report(`Waiting for ${what}`)
    }
    await delay(POSTGRES_WAIT_POLL_MS, undefined, { signal })
  }
}
