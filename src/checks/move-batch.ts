import type { App } from '../app.ts'
import { atScheduledCheck, type Status } from '../core/claims/lifecycle.ts'
import { holdTotalsBefore } from '../overview/resolution-total-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { type DueKind, readDueKinds } from './due-claim-store.ts'
import { type KindMove, moveKinds } from './move-claims-store.ts'

/** Claims that one statement moves: enough to be fast, few enough not to hold up submissions. */
export const BATCH = 1_000
/** For a claim that another transaction holds; then it is left for the next walk. */
const LONGEST_LOCK_WAIT_MS = 100

/** Due claims of one machine that are moved together. */
export interface Batch {
  ids: readonly string[]
  moves: KindMove[]
}

/** Batches of those that are in these shards, each of one machine. */
export function* inBatches(
  { distribution }: Connection,
  shards: readonly number[],
  ids: readonly string[],
): Generator<string[]> {
  const inTurn = new Set(shards)
  const taken = ids.filter((id) => inTurn.has(distribution.shardOf(id)))
  for (const ofMachine of distribution.byNode(taken, (id) => id)) {
    for (let from = 0; from < ofMachine.length; from += BATCH) yield ofMachine.slice(from, from + BATCH)
  }
}

/** Moves nothing if the turn was lost without a word, and another server has had it since. */
async function moveInTurn(
  connection: Connection,
  checkTime: Date,
  moves: readonly KindMove[],
): Promise<number> {
  if (!(await holdTotalsBefore(connection, checkTime))) {
    throw new Error('another server has taken the turn of the scheduled check')
  }
  return moveKinds(connection, moves, LONGEST_LOCK_WAIT_MS)
}

/** The moves that these claims make: the domain decides once for all that are alike. */
export async function readBatch(db: Connection, checkTime: Date, ids: readonly string[]): Promise<Batch> {
  const kinds = await readDueKinds(db, checkTime, ids)
  return { ids, moves: kinds.flatMap((kind) => moveOf(kind, checkTime)) }
}

/** The move that claims of this kind make at the check; none if it passes them over. */
export function moveOf(kind: DueKind, checkTime: Date): KindMove[] {
  const transition = atScheduledCheck(kind.state, kind.terms, checkTime, kind.lastEventAt)
  return transition ? [{ kind, transition }] : []
}

/** As long as so many were moved: a claim that somebody else has changed meanwhile is missed, whichever it is. */
function countsOf(moves: readonly KindMove[], moved: number): TransitionCounts {
  const counts: TransitionCounts = new Map()
  let left = moved
  for (const { kind, transition } of moves) {
    addTransitions(counts, transition.state.status, Math.min(left, kind.count))
    left -= Math.min(left, kind.count)
  }
  return counts
}

/** Moves them; if somebody holds one of them, by halves, so that it alone is missed. Returns how many moved. */
export async function moveBatch(app: App, checkTime: Date, { ids, moves }: Batch): Promise<number> {
  if (moves.length === 0) return 0
  try {
    const moved = await app.db.checks.transaction((connection) => moveInTurn(connection, checkTime, moves))
    measureTransitions(app, 'check', countsOf(moves, moved))
    return moved
  } catch (error) {
    if (!isTransient(error)) throw error
    if (ids.length === 1) return 0
    const half = Math.ceil(ids.length / 2)
    const first = await moveBatch(
      app,
      checkTime,
      await readBatch(app.db.checks, checkTime, ids.slice(0, half)),
    )
    return (
      first + (await moveBatch(app, checkTime, await readBatch(app.db.checks, checkTime, ids.slice(half))))
    )
  }
}

/** How many transitions led to each status. */
export type TransitionCounts = Map<Status, number>

export function addTransitions(counts: TransitionCounts, to: Status, count: number): void {
  counts.set(to, (counts.get(to) ?? 0) + count)
}

/** To be called once they are committed. */
export function measureTransitions(app: App, by: 'check' | 'test_clock', counts: TransitionCounts): void {
  for (const [to, count] of counts) app.db.metrics.instruments.transitions.inc({ by, to }, count)
}
