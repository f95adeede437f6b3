import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'

/** If so many submissions wait, they go first: sending is held back until fewer do, but not for long. */
const MANY_SUBMISSIONS = 16
const LONGEST_HOLD_MS = 50

export const manySubmissionsWait = ({ submissions }: App): boolean => submissions.waiting >= MANY_SUBMISSIONS

export async function letSubmissionsPass(app: App): Promise<void> {
  const deadline = performance.now() + LONGEST_HOLD_MS
  while (manySubmissionsWait(app) && performance.now() < deadline) await pause(1)
}
