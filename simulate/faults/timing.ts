import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import type { Fault } from '../testbed.ts'

export type LocalFault = Fault<LocalTestbed>

const POLL_INTERVAL_MS = 20
const MINUTE_MS = 60_000
const MAX_WAIT_MS = 8_000

/** Waits for the time or for the end of the run. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}

/** Waits until the condition holds, up to a timeout. Returns whether it holds. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (signal.aborted || performance.now() > deadline) return false
    await wait(POLL_INTERVAL_MS, signal)
  }
  return true
}

/**
 * Waits until `beforeMs` milliseconds before the next whole minute, when each server begins its scheduled check.
 * Returns false if that is not soon: other faults can be injected meanwhile.
 */
export async function waitForCheck(beforeMs: number, signal: AbortSignal): Promise<boolean> {
  const ms = (2 * MINUTE_MS - (Date.now() % MINUTE_MS) - beforeMs) % MINUTE_MS
  if (ms > MAX_WAIT_MS) return false
  await wait(ms, signal)
  return !signal.aborted
}

/** The fault in the half second around the start of the scheduled check. */
export const atCheck = (fault: LocalFault): LocalFault => ({
  ...fault,
  name: `${fault.name}-at-check`,
  atCheck: true,
  inject: async (testbed, random, signal) => {
    const isTime = await waitForCheck(random.int(-200, 300), signal)
    return isTime ? await fault.inject(testbed, random, signal) : null
  },
})

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export const alwaysAvailable = (): null => null

/** Duration of a fault that lasts. */
export const outageMs = (random: Random): number => random.int(100, 1_500)
