import { atScheduledCheck } from '../domain/lifecycle.ts'
import {
  applyMoves,
  type ClaimMove,
  DUE_START,
  type DueClaim,
  type DueCursor,
  findDueClaims,
  nextCursor,
  takeCheckTurn,
} from '../storage/due-claims.ts'
import { takeBackTotals } from '../storage/resolution-totals.ts'
import type { App } from './app.ts'

/** Claims that one transaction moves: enough to be fast, few enough not to hold up submissions. */
const BATCH = 1_000
/** A claim that changes while it is read is left for the next round. */
const MOST_ROUNDS = 10

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once. Returns how many transitions were made.
 * @param isOver asked after each batch; where it is, the rest is left to the check of a later minute
 */
export async function runScheduledCheck(app: App, checkTime: Date, isOver = () => false): Promise<number> {
  let total = 0
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { moved, missed } = await checkOnce(app, checkTime, isOver)
    total += moved
    if (missed === 0) break
  }
  return total
}

async function checkOnce(
  app: App,
  checkTime: Date,
  isOver: () => boolean,
): Promise<{ moved: number; missed: number }> {
  const sum = { moved: 0, missed: 0 }
  for (let cursor: DueCursor | null = DUE_START; cursor; ) {
    const batch = await checkBatch(app, checkTime, cursor)
    sum.moved += batch.moved
    if (isOver()) return { moved: sum.moved, missed: 0 }
    sum.missed += batch.missed
    cursor = batch.next
  }
  return sum
}

interface Batch {
  moved: number
  /** Claims that something else happened to in between. */
  missed: number
  next: DueCursor | null
}

function checkBatch(app: App, checkTime: Date, cursor: DueCursor): Promise<Batch> {
  return app.db.transaction(async (connection) => {
    await takeCheckTurn(connection)
    await takeBackTotals(connection, checkTime)
    const due = await findDueClaims(connection, checkTime, cursor, BATCH)
    const moves = due.flatMap((claim) => moveOf(claim, checkTime))
    const moved = await applyMoves(connection, moves)
    return { moved, missed: moves.length - moved, next: nextCursor(due, BATCH) }
  })
}

function moveOf(claim: DueClaim, checkTime: Date): ClaimMove[] {
  const transition = atScheduledCheck(claim.state, claim.terms, checkTime, claim.lastEventAt)
  return transition ? [{ claim, transitions: [transition] }] : []
}
