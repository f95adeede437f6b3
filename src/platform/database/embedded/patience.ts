import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'

const POLL_MS = 25
const REPORT_AFTER_MS = 2_000
const LIMIT_MS = 60_000

/**
 * One waiting, shared by its turns: each call waits a moment, the first after 2 s says what for, and the first after
 * 60 s throws an OperatorError. Rejects when the signal is aborted.
 */
export function createPatience(
  report: (step: string) => void,
  signal?: AbortSignal,
): (what: string) => Promise<void> {
  const since = performance.now()
  let told = false
  return async (what) => {
    const waitedMs = performance.now() - since
    if (waitedMs > LIMIT_MS) {
      throw new OperatorError(`Waited ${LIMIT_MS / 1000} s for ${what}: try again, or see postgres.log.`)
    }
    if (waitedMs > REPORT_AFTER_MS && !told) {
      told = true
      report(`Waiting for ${what}`)
    }
    await delay(POLL_MS, undefined, { signal })
  }
}
