import { setTimeout as pause } from 'node:timers/promises'
import { atScheduledCheck } from '../domain/lifecycle.ts'
import { type Connection, DatabaseAway } from '../storage/database.ts'
import {
  applyMoves,
  beginDueWalk,
  type ClaimMove,
  type DueClaim,
  endDueWalk,
  nextDueIds,
  readDueClaims,
  takeCheckTurn,
} from '../storage/due-claims.ts'
import { takeBackTotals } from '../storage/resolution-totals.ts'
import type { App } from './app.ts'

/** Claims that one statement moves: enough to be fast, few enough not to hold up submissions. */
const BATCH = 1_000
/** Claims that one walk goes over: the database sorts their ids. */
const MOST_IN_A_WALK = 1_000_000
/** A claim that changes while it is read is left for the next walk. */
const MOST_WALKS = 10
/** Where so many submissions wait, they go first: the next batch is held back until fewer do, but not for long. */
const MANY_SUBMISSIONS = 16
const LONGEST_HOLD_MS = 50
/** For a claim that another transaction holds; then it is left for the next walk. */
const LONGEST_LOCK_WAIT_MS = 100

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once; one at a time works, the others then find nothing left to do.
 * Returns how many transitions were made.
 * @param isOver asked after each batch; where it is, the rest is left to the check of a later minute
 */
export function runScheduledCheck(app: App, checkTime: Date, isOver = () => false): Promise<number> {
  return app.db.transaction(async (turn) => {
    await takeCheckTurn(turn)
    await app.db.transaction((connection) => takeBackTotals(connection, checkTime))
    let total = 0
    for (let walk = 0; walk < MOST_WALKS; walk++) {
      await beginDueWalk(turn, checkTime, MOST_IN_A_WALK)
      const { moved, isThrough } = await walkOnce(app, turn, checkTime, isOver)
      await endDueWalk(turn)
      total += moved
      if (isThrough) break
    }
    return total
  })
}

/**
 * Moves what comes on the walk, batch by batch; the next one is read meanwhile. It is through where no other walk is
 * needed.
 */
async function walkOnce(
  app: App,
  turn: Connection,
  checkTime: Date,
  isOver: () => boolean,
): Promise<{ moved: number; isThrough: boolean }> {
  const sum = { found: 0, moved: 0, missed: 0 }
  let over = false
  let coming = readBatch(app, turn, checkTime)
  try {
    for (let batch = await coming; batch.found > 0 && !over; batch = await coming) {
      coming = readBatch(app, turn, checkTime)
      const moved = await move(app, batch.moves)
      sum.found += batch.found
      sum.moved += moved
      sum.missed += batch.moves.length - moved
      over = isOver()
      if (!over) await letSubmissionsPass(app)
    }
  } finally {
    // The turn's connection is not given back while something is on its way.
    await Promise.allSettled([coming])
  }
  return { moved: sum.moved, isThrough: over || (sum.missed === 0 && sum.found < MOST_IN_A_WALK) }
}

async function letSubmissionsPass({ submissions }: App): Promise<void> {
  const deadline = performance.now() + LONGEST_HOLD_MS
  while (submissions.waiting >= MANY_SUBMISSIONS && performance.now() < deadline) await pause(1)
}

/** The next claims on the walk, with the moves that they make; nothing found at its end. */
async function readBatch(
  app: App,
  turn: Connection,
  checkTime: Date,
): Promise<{ found: number; moves: ClaimMove[] }> {
  const ids = await nextDueIds(turn, BATCH)
  if (ids.length === 0) return { found: 0, moves: [] }
  const due = await readDueClaims(app.db, checkTime, ids)
  return { found: ids.length, moves: due.flatMap((claim) => moveOf(claim, checkTime)) }
}

/** Moves them; where somebody holds one of them, by halves, so that it alone is missed. Returns how many moved. */
async function move(app: App, moves: readonly ClaimMove[]): Promise<number> {
  if (moves.length === 0) return 0
  try {
    return await applyMoves(app.db, moves, LONGEST_LOCK_WAIT_MS)
  } catch (error) {
    if (!(error instanceof DatabaseAway && error.isPassing)) throw error
    const half = Math.ceil(moves.length / 2)
    if (moves.length === 1) return 0
    return (await move(app, moves.slice(0, half))) + (await move(app, moves.slice(half)))
  }
}

function moveOf(claim: DueClaim, checkTime: Date): ClaimMove[] {
  const transition = atScheduledCheck(claim.state, claim.terms, checkTime, claim.lastEventAt)
  return transition ? [{ claim, transitions: [transition] }] : []
}
