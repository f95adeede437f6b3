import { atScheduledCheck } from '../domain/lifecycle.ts'
import { DatabaseAway } from '../storage/database.ts'
import {
  applyMoves,
  type ClaimMove,
  DUE_START,
  type DueClaim,
  type DueCursor,
  findDueClaims,
  limitLockWaits,
  nextCursor,
  takeCheckTurn,
} from '../storage/due-claims.ts'
import { takeBackTotals } from '../storage/resolution-totals.ts'
import type { App } from './app.ts'

/** Claims that one statement moves: enough to be fast, few enough not to hold up submissions. */
const BATCH = 250
/** Batches on their way at once: no claim is in two of them. */
const BATCHES_AT_ONCE = 2
/** A claim that changes while it is read is left for the next round. */
const MOST_ROUNDS = 10
/** Far below PostgreSQL's deadlock_timeout of a second. */
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
    let total = 0
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { moved, missed } = await checkOnce(app, checkTime, isOver)
      total += moved
      if (missed === 0) break
    }
    return total
  })
}

/** Walks once over the due claims. While batches are being moved the next one is read. */
async function checkOnce(
  app: App,
  checkTime: Date,
  isOver: () => boolean,
): Promise<{ moved: number; missed: number }> {
  const sum = { moved: 0, missed: 0 }
  const moving = new Set<Promise<void>>()
  let over = false
  for (let cursor: DueCursor | null = DUE_START; cursor && !over; ) {
    const due: DueClaim[] = await findDueClaims(app.db, checkTime, cursor, BATCH)
    cursor = nextCursor(due, BATCH)
    const moves = due.flatMap((claim) => moveOf(claim, checkTime))
    const batch = move(app, checkTime, moves).then((moved) => {
      sum.moved += moved
      sum.missed += moves.length - moved
      moving.delete(batch)
    })
    moving.add(batch)
    // A failure shows below, whenever it comes.
    batch.catch(() => {})
    if (moving.size === BATCHES_AT_ONCE) await Promise.race(moving)
    over = isOver()
  }
  await Promise.all(moving)
  return over ? { ...sum, missed: 0 } : sum
}

/**
 * Moves them without waiting long for submissions to some of them, which may be waiting for others of them in turn:
 * then by halves. Returns how many moved.
 */
async function move(app: App, checkTime: Date, moves: readonly ClaimMove[]): Promise<number> {
  try {
    return await app.db.transaction(async (connection) => {
      await limitLockWaits(connection, LONGEST_LOCK_WAIT_MS)
      await takeBackTotals(connection, checkTime)
      return applyMoves(connection, moves)
    })
  } catch (error) {
    if (!(error instanceof DatabaseAway && error.isPassing)) throw error
    const half = Math.ceil(moves.length / 2)
    if (moves.length === 1) return 0
    return (
      (await move(app, checkTime, moves.slice(0, half))) + (await move(app, checkTime, moves.slice(half)))
    )
  }
}

function moveOf(claim: DueClaim, checkTime: Date): ClaimMove[] {
  const transition = atScheduledCheck(claim.state, claim.terms, checkTime, claim.lastEventAt)
  return transition ? [{ claim, transitions: [transition] }] : []
}
