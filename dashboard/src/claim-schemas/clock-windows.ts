import { WINDOWS, type Window } from '../../../src/core/contracts/contract.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { ClockDraft } from '../contracts/contract-draft.ts'

/** The windows that a calendar applies to, as the form offers them. */
export const CLOCK_WINDOWS = {
  activity: 'The activity window',
  review: 'The review window',
  both: 'Both windows',
} as const
export type ClockWindows = keyof typeof CLOCK_WINDOWS

/** Null for JSON that is no list of windows. */
export function windowsOf(appliesTo: Json | undefined): ClockWindows | null {
  if (appliesTo === undefined) return 'activity'
  if (!Array.isArray(appliesTo) || new Set(appliesTo).size !== appliesTo.length) return null
  if (!appliesTo.every((window) => WINDOWS.some((name) => name === window))) return null
  return appliesTo.length === 2 ? 'both' : ((appliesTo[0] as Window | undefined) ?? null)
}

/** Missing for the default. */
export const toAppliesTo = (windows: ClockWindows): { appliesTo?: Json } =>
  windows === 'activity' ? {} : { appliesTo: windows === 'both' ? [...WINDOWS] : [windows] }

/** Whether only working time counts for the window. */
export function appliesTo(clock: ClockDraft | null, window: Window): boolean {
  const windows = clock?.calendar ? windowsOf(clock.appliesTo) : null
  return windows === 'both' || windows === window
}
