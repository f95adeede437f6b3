import type { Fault } from '../support/fault-proxy.ts'

/** Whether every fault is injected into each statement. */
export const ALL_FAULTS = process.env.FAULTS === 'all'

/** All faults of a statement, by name. */
export const STATEMENT_FAULTS: Record<string, Fault> = {
  'the connection is cut while it is executed': 'cut during',
  'the disk is full': { refused: '53100' },
  'the connection is cut before it': 'cut before',
  'the connection is cut after its response': 'cut after',
  'its backend is terminated': 'terminated',
  'memory is exhausted': { refused: '53200' },
  'it exceeds the statement timeout': { refused: '57014' },
  'it cannot be serialized': { refused: '40001' },
  'it is in a deadlock': { refused: '40P01' },
  'a lock is held': { refused: '55P03' },
  'its data are invalid': { refused: '22P02' },
  'a constraint is violated': { refused: '23514' },
  'the database has an internal error': { refused: 'XX000' },
  'data are corrupted': { refused: 'XX001' },
  'the database becomes read-only': { refused: '25006' },
  'it is slow': { delayedMs: 300 },
  'the connection goes silent': 'silence before',
  'its answer never comes': 'silence during',
}

const NAMES = Object.keys(STATEMENT_FAULTS)
/** Every second statement gets this fault; the others get the remaining faults in rotation. */
const OFTEN = NAMES[0] as string
/** Faults that take seconds, until a timeout detects them. */
const SILENCES: readonly Fault[] = ['silence before', 'silence during']

/** The names of all faults but silences. */
export const QUICK_FAULTS = NAMES.filter((name) => !SILENCES.includes(STATEMENT_FAULTS[name] as Fault))

/** The faults for the row with this number: all if FAULTS=all is set, otherwise a fixed choice. */
export function faultsFor(row: number): string[] {
  if (ALL_FAULTS) return NAMES
  const others = QUICK_FAULTS.slice(1)
  return [row % 2 === 0 ? OFTEN : (others[((row - 1) / 2) % others.length] as string)]
}
