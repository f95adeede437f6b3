import { setTimeout as pause } from 'node:timers/promises'
import { atScheduledCheck } from '../../domain/claims/lifecycle.ts'
import { takeCheckTurns } from '../../storage/claim-writes/check-turns.ts'
import {
  beginDueWalk,
  type DueKind,
  endDueWalk,
  listDueWhereReached,
  nextDueIds,
  readDueKinds,
} from '../../storage/claim-writes/due-claims.ts'
import { type KindMove, moveKinds } from '../../storage/claim-writes/move-claims.ts'
import type { Connection } from '../../storage/database/connection.ts'
import { DatabaseUnavailable, isPassing } from '../../storage/database/database-unavailable.ts'
import { holdTotalsBefore, takeBackTotals } from '../../storage/overview/resolution-totals.ts'
import type { App } from '../app.ts'
import { letSubmissionsPass } from '../let-submissions-pass.ts'

/** How often a server that waits for another one's check asks whether it is through. */
const TURN_POLL_MS = 100
/** Claims that one statement moves: enough to be fast, few enough not to hold up submissions. */
const BATCH = 1_000
/** Due claims that are read for each shard of several: a few less, or half of the shards had one batch more by chance. */
const ABOUT_A_BATCH = 900
/** Claims that one walk goes over: the database sorts their ids. */
const MOST_IN_A_WALK = 1_000_000
/** Due claims of a shard that are looked at in one go if a part of the database is away. */
const LISTED_OF_SHARD = 5_000
/** A claim that changes while it is read is left for the next walk. */
const MOST_WALKS = 10
/** For a claim that another transaction holds; then it is left for the next walk. */
const LONGEST_LOCK_WAIT_MS = 100

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once: each takes turns at shards that no other one works on, and has been through
 * all of them in the end. Returns how many transitions were made.
 * @param isOver asked after each batch and while another server is at it; if it is, the rest is left to the check of
 *   a later minute
 * @throws DatabaseUnavailable also if a part of the database was away: then all others were moved, and the rest is left
 */
export async function runScheduledCheck(app: App, checkTime: Date, isOver = () => false): Promise<number> {
  const { distribution, moves, checks } = app.db
  let left = distribution.allShards()
  let total = 0
  while (left.length > 0) {
    const { shards, moved } = await checks
      .transaction((turn) => checkSome(app, { turn, checkTime, isOver }, left, moves))
      .catch(async (error: unknown) => {
        if (!distribution.isOn || !(error instanceof DatabaseUnavailable)) throw error
        await checks.transaction((turn) => checkWhatIsReached(app, { turn, checkTime, isOver }, left))
        throw error
      })
    total += moved
    left = left.filter((shard) => !shards.includes(shard))
    if (left.length > 0 && isOver()) break
    if (shards.length === 0) await pause(TURN_POLL_MS)
  }
  return total
}

/** A check by one server, on the connection that has its turns. */
interface Check {
  turn: Connection
  checkTime: Date
  isOver: () => boolean
}

/** Checks some of these shards: those whose turns can be had, and all that are due in them. */
async function checkSome(app: App, check: Check, left: readonly number[], most: number) {
  const shards = await takeCheckTurns(check.turn, left, most)
  let moved = 0
  if (shards.length > 0) await takeBack(app, check)
  for (let walk = 0; walk < MOST_WALKS && shards.length > 0; walk++) {
    await beginDueWalk(check.turn, check.checkTime, MOST_IN_A_WALK)
    const walked = await walkOnce(app, check, walkThrough(check, shards))
    await endDueWalk(check.turn)
    moved += walked.moved
    if (walked.isThrough) break
  }
  return { shards, moved }
}

/** Checks these shards, if their turns can be had, as far as they can be reached. */
async function checkWhatIsReached(app: App, check: Check, left: readonly number[]): Promise<void> {
  const shards = await takeCheckTurns(check.turn, left, left.length)
  await takeBack(app, check)
  for (let round = 0; round < MOST_WALKS; round++) {
    const ids = await listDueWhereReached(check.turn, check.checkTime, LISTED_OF_SHARD)
    const { moved } = await walkOnce(app, check, batchesOf(check, shards, ids))
    if (moved === 0 || check.isOver()) return
  }
}

const takeBack = (app: App, { checkTime }: Check) =>
  app.db.checks.transaction((connection) => takeBackTotals(connection, checkTime))

/**
 * Moves what comes on the walk, a few batches at once; the next ones are read meanwhile. It is through when no other walk
 * is needed.
 */
async function walkOnce(
  app: App,
  { checkTime, isOver }: Check,
  walk: Walk,
): Promise<{ moved: number; isThrough: boolean }> {
  const sum = { moved: 0, missed: 0 }
  let over = false
  let { batches, isCutOff } = await readNext(app, walk)
  while (batches.length > 0 && !over) {
    const moving = batches.map((batch) => move(app, checkTime, batch))
    const [next, ...moved] = await allSettled([readNext(app, walk), ...moving])
    for (const [i, { moves }] of batches.entries()) {
      const movedOf = moved[i] as number
      sum.moved += movedOf
      sum.missed += moves.reduce((due, { kind }) => due + kind.count, 0) - movedOf
    }
    batches = next.batches
    isCutOff ||= next.isCutOff
    over = isOver()
    if (!over) await letSubmissionsPass(app)
  }
  return { moved: sum.moved, isThrough: over || (sum.missed === 0 && !isCutOff) }
}

/** Batches of due claims, each of one shard. At its end it tells whether more may be due than it went over. */
type Walk = AsyncGenerator<Batch, boolean>

/**
 * What is moved next; nothing at the end of the walk. Several batches go at once if no submission is on its way: while one
 * is being committed, another works. Otherwise one: with two, a submission would take twice as long.
 */
async function readNext(
  { db, submissions }: App,
  walk: Walk,
): Promise<{ batches: Batch[]; isCutOff: boolean }> {
  const batches: Batch[] = []
  while (batches.length < (submissions.isIdle ? db.moves : 1)) {
    const { done, value } = await walk.next()
    if (done) return { batches, isCutOff: value === true }
    batches.push(value)
  }
  return { batches, isCutOff: false }
}

/** The due claims of these shards, read a batch at a time on the connection of the turns. */
async function* walkThrough(check: Check, shards: readonly number[]): Walk {
  const { isOn, shards: allShards } = check.turn.distribution
  let seen = 0
  for (;;) {
    const ids = await nextDueIds(check.turn, isOn ? ABOUT_A_BATCH * allShards : BATCH)
    if (ids.length === 0) return seen >= MOST_IN_A_WALK
    seen += ids.length
    yield* batchesOf(check, shards, ids)
  }
}

async function* batchesOf(
  { turn, checkTime }: Check,
  shards: readonly number[],
  ids: readonly string[],
): Walk {
  const { distribution } = turn
  for (const ofShard of distribution.byShard(ids, (id) => id)) {
    if (!shards.includes(distribution.shardOf(ofShard[0] as string))) continue
    for (const some of slicesOf(ofShard)) yield await readBatch(turn, checkTime, some)
  }
  return false
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
