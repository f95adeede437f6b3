import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { RealStage } from '../stage/real-stage.ts'
import type { Fault } from '../stage.ts'

export type RealFault = Fault<RealStage>

const LOOK_EVERY_MS = 20
const MINUTE_MS = 60_000
const SOON_MS = 8_000

/** Waits, or until the run ends. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}

/** Waits until it holds, for at most so long. Returns whether it came to hold. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  mostMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + mostMs
  while (!(await holds())) {
    if (signal.aborted || performance.now() > deadline) return false
    await wait(LOOK_EVERY_MS, signal)
  }
  return true
}

/**
 * Waits until `beforeMs` milliseconds before the next whole minute, when each server begins its scheduled check. Returns
 * false where that is not soon: other faults can strike in the meantime.
 */
export async function waitForCheck(beforeMs: number, signal: AbortSignal): Promise<boolean> {
  const ms = (2 * MINUTE_MS - (Date.now() % MINUTE_MS) - beforeMs) % MINUTE_MS
  if (ms > SOON_MS) return false
  await wait(ms, signal)
  return !signal.aborted
}

/** The same harm in the half second around the moment at which the scheduled check begins. */
export const atCheck = (fault: RealFault): RealFault => ({
  ...fault,
  name: `${fault.name}-at-check`,
  atCheck: true,
  strike: async (stage, random, signal) => {
    const isTime = await waitForCheck(random.int(-200, 300), signal)
    return isTime ? await fault.strike(stage, random, signal) : null
  },
})

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export const possible = (): null => null

/** A while of a fault that lasts. */
export const someTime = (random: Random): number => random.int(100, 1_500)
