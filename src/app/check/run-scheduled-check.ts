import { setTimeout as pause } from 'node:timers/promises'
import { takeCheckTurns } from '../../storage/claim-writes/check-turns.ts'
import { beginDueWalk, endDueWalk, nextDueIds } from '../../storage/claim-writes/due-claims.ts'
import type { Connection } from '../../storage/database/connection.ts'
import { takeBackTotals } from '../../storage/overview/resolution-totals.ts'
import type { App } from '../app.ts'
import { letSubmissionsPass } from '../let-submissions-pass.ts'
import { checkWhatIsReached } from './check-what-is-reached.ts'
import { BATCH, type Batch, inBatches, moveBatch, readBatch } from './move-batch.ts'

/** How often a server that waits for another one's check asks whether it is through. */
const TURN_POLL_MS = 100
/** Due claims that are read for each shard of several: a few less, or half of the shards had one batch more by chance. */
const ABOUT_A_BATCH = 900
/** Claims that one walk goes over: the database sorts their ids. */
const MOST_IN_A_WALK = 1_000_000
/** A claim that changes while it is read is left for the next walk. */
const MOST_WALKS = 10

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once: each takes turns at shards that no other one works on, and has been through
 * all of them in the end. Returns how many transitions were made.
 * @param isOver asked after each batch and while another server is at it; if it is, the rest is left to the check of
 *   a later minute
 * @throws also if a part of the database was away: then all others were moved, and the rest is left
 */
export async function runScheduledCheck(app: App, checkTime: Date, isOver = () => false): Promise<number> {
  let left = app.db.distribution.allShards()
  let total = 0
  while (left.length > 0) {
    const { shards, moved } = await checkSome(app, { checkTime, isOver }, left)
    total += moved
    left = left.filter((shard) => !shards.includes(shard))
    if (left.length > 0 && isOver()) break
    if (shards.length === 0) await pause(TURN_POLL_MS)
  }
  return total
}

interface Check {
  checkTime: Date
  isOver: () => boolean
}

/** Checks some of these shards: those whose turns can be had, and all that are due in them. */
async function checkSome(app: App, check: Check, left: readonly number[]): Promise<Checked> {
  const { checks, distribution, moves } = app.db
  try {
    return await checks.transaction(async (turn) => {
      const shards = await takeCheckTurns(turn, left, moves)
      if (shards.length === 0) return { shards, moved: 0 }
      await takeBack(app, check)
      return distribution.isOn
        ? checks.transaction((connection) => checkAll(app, { ...check, connection }, shards))
        : checkAll(app, { ...check, connection: turn }, shards)
    })
  } catch (error) {
    if (distribution.isOn) await checkWhatIsReached(app, check.checkTime, check.isOver, left)
    throw error
  }
}

interface Checked {
  shards: readonly number[]
  moved: number
}

/** A check of shards, whose turns are held, with the connection that reads what is due in them. */
interface CheckInTurn extends Check {
  connection: Connection
}

async function checkAll(app: App, check: CheckInTurn, shards: readonly number[]): Promise<Checked> {
  const { connection, checkTime } = check
  let moved = 0
  for (let walk = 0; walk < MOST_WALKS; walk++) {
    await beginDueWalk(connection, checkTime, MOST_IN_A_WALK)
    const walked = await walkOnce(app, check, walkThrough(check, shards))
    await endDueWalk(connection)
    moved += walked.moved
    if (walked.isThrough) break
  }
  return { shards, moved }
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
    const moving = batches.map((batch) => moveBatch(app, checkTime, batch))
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

/** The due claims of these shards, read a batch at a time. */
async function* walkThrough({ connection, checkTime }: CheckInTurn, shards: readonly number[]): Walk {
  const { isOn, shards: allShards } = connection.distribution
  let seen = 0
  for (;;) {
    const ids = await nextDueIds(connection, isOn ? ABOUT_A_BATCH * allShards : BATCH)
    if (ids.length === 0) return seen >= MOST_IN_A_WALK
    seen += ids.length
    for (const batch of inBatches(connection, shards, ids))
      yield await readBatch(connection, checkTime, batch)
  }
}

/** If one fails, the others are waited for all the same: the turn is not given up while something is on its way. */
async function allSettled<Each extends unknown[]>(
  works: { [I in keyof Each]: Promise<Each[I]> },
): Promise<Each> {
  await Promise.allSettled(works)
  return Promise.all(works) as Promise<Each>
}
