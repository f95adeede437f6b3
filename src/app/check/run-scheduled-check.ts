import { setTimeout as pause } from 'node:timers/promises'
import { atScheduledCheck } from '../../domain/claims/lifecycle.ts'
import {
  beginDueWalk,
  type DueKind,
  endDueWalk,
  nextDueIds,
  readDueKinds,
  tryCheckTurn,
} from '../../storage/claim-writes/due-claims.ts'
import { type KindMove, moveKinds } from '../../storage/claim-writes/move-claims.ts'
import type { Connection } from '../../storage/database/connection.ts'
import { isPassing } from '../../storage/database/database-unavailable.ts'
import { holdTotalsBefore, takeBackTotals } from '../../storage/overview/resolution-totals.ts'
import type { App } from '../app.ts'
import { letSubmissionsPass } from '../let-submissions-pass.ts'

/** How often a server that waits for another one's check asks whether it is through. */
const TURN_POLL_MS = 100
/** Claims that one statement moves: enough to be fast, few enough not to hold up submissions. */
const BATCH = 1_000
/** Claims that one walk goes over: the database sorts their ids. */
const MOST_IN_A_WALK = 1_000_000
/** A claim that changes while it is read is left for the next walk. */
const MOST_WALKS = 10
/** For a claim that another transaction holds; then it is left for the next walk. */
const LONGEST_LOCK_WAIT_MS = 100

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once; one at a time works, the others then find nothing left to do.
 * Returns how many transitions were made.
 * @param isOver asked after each batch and while another server is at it; if it is, the rest is left to the check of
 *   a later minute
 */
export function runScheduledCheck(app: App, checkTime: Date, isOver = () => false): Promise<number> {
  return app.db.checks.transaction(async (turn) => {
    while (!(await tryCheckTurn(turn))) {
      if (isOver()) return 0
      await pause(TURN_POLL_MS)
    }
    await app.db.checks.transaction((connection) => takeBackTotals(connection, checkTime))
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
 * Moves what comes on the walk, a few batches at once; the next ones are read meanwhile. It is through when no other walk
 * is needed.
 */
async function walkOnce(
  app: App,
  turn: Connection,
  checkTime: Date,
  isOver: () => boolean,
): Promise<{ moved: number; isThrough: boolean }> {
  const sum = { found: 0, moved: 0, missed: 0 }
  let over = false
  const walk = walkByShard(turn, checkTime)
  for (let batches = await readNext(app, walk); batches.length > 0 && !over; ) {
    const moving = batches.map((batch) => move(app, checkTime, batch))
    const [next, ...moved] = await allSettled([readNext(app, walk), ...moving])
    for (const [i, { ids, moves }] of batches.entries()) {
      const movedOf = moved[i] as number
      sum.found += ids.length
      sum.moved += movedOf
      sum.missed += moves.reduce((due, { kind }) => due + kind.count, 0) - movedOf
    }
    batches = next
    over = isOver()
    if (!over) await letSubmissionsPass(app)
  }
  return { moved: sum.moved, isThrough: over || (sum.missed === 0 && sum.found < MOST_IN_A_WALK) }
}

/**
 * What is moved next; nothing at the end of the walk. Several batches go at once if no submission is on its way: while one
 * is being committed, another works. Otherwise one: with two, a submission would take twice as long.
 */
async function readNext({ db, submissions }: App, walk: AsyncIterator<Batch>): Promise<Batch[]> {
  const batches: Batch[] = []
  while (batches.length < (submissions.isIdle ? db.moves : 1)) {
    const { done, value } = await walk.next()
    if (done) break
    batches.push(value)
  }
  return batches
}

/** The due claims, read a batch at a time on the connection of the turn. A batch is of one shard. */
async function* walkByShard(turn: Connection, checkTime: Date): AsyncGenerator<Batch, undefined> {
  const { distribution } = turn
  for (;;) {
    const ids = await nextDueIds(turn, BATCH * distribution.shards)
    if (ids.length === 0) return
    for (const ofShard of distribution.byShard(ids, (id) => id)) {
      for (const some of slicesOf(ofShard)) yield await readBatch(turn, checkTime, some)
    }
  }
}

function* slicesOf(ids: string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += BATCH) yield ids.slice(from, from + BATCH)
}

/** If one fails, the others are waited for all the same: the turn is not given up while something is on its way. */
async function allSettled<Each extends unknown[]>(
  works: { [I in keyof Each]: Promise<Each[I]> },
): Promise<Each> {
  await Promise.allSettled(works)
  return Promise.all(works) as Promise<Each>
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

interface Batch {
  ids: readonly string[]
  moves: KindMove[]
}

/** The moves that these claims make: the domain decides once for all that are alike. */
async function readBatch(db: Connection, checkTime: Date, ids: readonly string[]): Promise<Batch> {
  const kinds = await readDueKinds(db, checkTime, ids)
  return { ids, moves: kinds.flatMap((kind) => moveOf(kind, checkTime)) }
}

/** The move that claims of this kind make at the check; none if it passes them over. */
export function moveOf(kind: DueKind, checkTime: Date): KindMove[] {
  const transition = atScheduledCheck(kind.state, kind.terms, checkTime, kind.lastEventAt)
  return transition ? [{ kind, transition }] : []
}

/** Moves them; if somebody holds one of them, by halves, so that it alone is missed. Returns how many moved. */
async function move(app: App, checkTime: Date, { ids, moves }: Batch): Promise<number> {
  if (moves.length === 0) return 0
  try {
    return await app.db.checks.transaction((connection) => moveInTurn(connection, checkTime, moves))
  } catch (error) {
    if (!isPassing(error)) throw error
    if (ids.length === 1) return 0
    const half = Math.ceil(ids.length / 2)
    const first = await move(app, checkTime, await readBatch(app.db.checks, checkTime, ids.slice(0, half)))
    return first + (await move(app, checkTime, await readBatch(app.db.checks, checkTime, ids.slice(half))))
  }
}
