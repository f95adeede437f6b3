import { setTimeout as pause } from 'node:timers/promises'
import type { App } from './app.ts'

/** If so many submissions wait, they go first: what is done beside them is held back until fewer do, but not for long. */
const MANY_SUBMISSIONS = 16
const LONGEST_HOLD_MS = 50

export async function letSubmissionsPass({ submissions }: App): Promise<void> {
  const deadline = performance.now() + LONGEST_HOLD_MS
  while (submissions.waiting >= MANY_SUBMISSIONS && performance.now() < deadline) await pause(1)
}
