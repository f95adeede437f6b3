import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import { takeBackTotals } from '../overview/resolution-total-store.ts'
import type { Distribution } from '../platform/database/citus/distribution.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type DueStretch, dueBy, listDue, listDueWhereReached, takeCheckTurns } from './due-claim-store.ts'
import { IdsInOrder } from './ids-in-order.ts'
import { BATCH, type Batch, inBatches, moveBatch, readBatch } from './move-batch.ts'

/** How often a server that waits for another one's check asks whether it is through. */
const TURN_POLL_MS = 100
/** How much is done at once. */
export interface CheckSizes {
  /** Due claims that one statement lists. */
  listed: number
  /** Those that are taken of the lists for the next batches. */
  taken: number
  /** Those that one walk goes over, about: their ids are kept meanwhile, 16 bytes each. */
  walked: number
  /** For how long is listed before a walk, with all rests: fewer are walked then, but something moves in each minute. */
  listingMs: number
}
/** A list takes some 50 ms then. */
const SIZES: CheckSizes = { listed: 10_000, taken: BATCH, walked: 500_000, listingMs: 10_000 }
/** There each shard sends so many for a list, and has a batch: a few less, or half of them had one more by chance. */
const sizesOfShards = ({ shards }: Distribution): CheckSizes => ({
  ...SIZES,
  listed: 250_000,
  taken: 900 * shards,
})
/** Of a stretch that has been gone over there are as many as then, or a few more. */
const NO_LIMIT = 2 ** 31 - 1
/** A claim that changes while it is read is left for the next look. */
const MOST_LOOKS = 10

/**
 * The scheduled check of a whole minute (§3): every claim whose window has elapsed makes its transition.
 * Safe with any number of servers at once: each takes turns at shards that no other one works on, and has been through
 * all of them in the end. Returns how many transitions were made.
 * @param isOver asked after each batch and while another server is at it; if it is, the rest is left to the check of
 *   a later minute
 * @param sizes others than the usual ones, for tests
 * @throws also if a part of the database was away: then all others were moved, and the rest is left
 */
export async function runScheduledCheck(
  app: App,
  checkTime: Date,
  isOver = () => false,
  sizes = app.db.distribution.isOn ? sizesOfShards(app.db.distribution) : SIZES,
): Promise<number> {
  let left = app.db.distribution.allShards()
  let total = 0
  while (left.length > 0) {
    const { shards, moved } = await checkSome(app, { checkTime, isOver, sizes }, left)
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
  sizes: CheckSizes
}

/** Checks some of these shards: those whose turns can be had, and all that are due in them. */
async function checkSome(app: App, check: Check, left: readonly number[]): Promise<Checked> {
  const { checks, distribution, moves } = app.db
  try {
    return await checks.transaction(async (turn) => {
      const shards = await takeCheckTurns(turn, left, moves)
      if (shards.length === 0) return { shards, moved: 0 }
      await checks.transaction((connection) => takeBackTotals(connection, check.checkTime))
      // The turn's connection asks no machine but the coordinator (see `takeCheckTurns`).
      const connection = distribution.isOn ? checks : turn
      return { shards, moved: await checkAll(app, { ...check, shards, connection }) }
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
  shards: readonly number[]
  connection: Connection
}

/** Returns how many claims moved. */
async function checkAll(app: App, check: CheckInTurn): Promise<number> {
  let moved = 0
  let rest: DueStretch | null = dueBy(check.checkTime)
  while (rest) {
    const due = await listDueInOrder(app, check, rest)
    moved += await checkListed(app, check, due)
    rest = check.isOver() ? null : due.rest
  }
  return moved
}

/**
 * Moves what was listed, and looks again: for what was missed, and after a long walk in any case. The index of due times
 * keeps the entries of moved claims until somebody comes upon them, which takes as long as to read the claims; done here, a
 * stretch at a time, it does not fall to the first statement of the next check.
 */
async function checkListed(app: App, check: CheckInTurn, { ids, stretches }: DueInOrder): Promise<number> {
  let { moved, missed } = await walk(app, check, batchesOf(check, ids))
  let isLong = stretches.length > 1
  for (let look = 0; look < MOST_LOOKS && (missed > 0 || isLong); look++) {
    const left = await listStretches(app, check, stretches)
    if (check.isOver()) break
    const again = await walk(app, check, batchesOf(check, left))
    moved += again.moved
    missed = again.missed
    isLong = false
  }
  return moved
}

interface DueInOrder {
  /** In the order of ids: about that of the table and most of its indexes, so that fewer pages are written. */
  ids: IdsInOrder
  stretches: DueStretch[]
  /** Where more may be due. */
  rest: DueStretch | null
}

async function listDueInOrder(
  app: App,
  { checkTime, connection, sizes: { listed, walked, listingMs } }: CheckInTurn,
  { after, upTo }: DueStretch,
): Promise<DueInOrder> {
  const ids = new IdsInOrder()
  const stretches: DueStretch[] = []
  const end = performance.now() + listingMs
  let rest: DueStretch | null = { after, upTo }
  for (let seen = 0; rest && seen < walked; seen += listed) {
    if (seen > 0 && performance.now() >= end) break
    const within: DueStretch = rest
    const due = await app.throttle.run(() => listDue(connection, checkTime, within, listed))
    ids.add(due.ids)
    stretches.push(due.stretch)
    rest = due.count < listed ? null : { after: due.stretch.upTo, upTo }
  }
  return { ids, stretches, rest }
}

/** What is due in them still, or again. */
async function listStretches(
  app: App,
  { checkTime, connection }: CheckInTurn,
  stretches: readonly DueStretch[],
): Promise<IdsInOrder> {
  const ids = new IdsInOrder()
  for (const stretch of stretches) {
    const due = await app.throttle.run(() => listDue(connection, checkTime, stretch, NO_LIMIT))
    ids.add(due.ids)
  }
  return ids
}

/** Due claims of these shards, of one machine each. */
type Batches = AsyncGenerator<Batch, void>

async function* batchesOf(
  { checkTime, shards, connection, sizes: { taken } }: CheckInTurn,
  due: IdsInOrder,
): Batches {
  for (let ids = due.take(taken); ids.length > 0; ids = due.take(taken)) {
    for (const batch of inBatches(connection, shards, ids))
      yield await readBatch(connection, checkTime, batch)
  }
}

/** Moves what comes, a few batches at once; the next ones are read meanwhile. */
async function walk(
  app: App,
  { checkTime, isOver }: Check,
  coming: Batches,
): Promise<{ moved: number; missed: number }> {
  const sum = { moved: 0, missed: 0 }
  let batches = await readNext(app, coming)
  while (batches.length > 0) {
    const now = batches
    const [next, ...moved] = await app.throttle.run(() =>
      allSettled([readNext(app, coming), ...now.map((batch) => moveBatch(app, checkTime, batch))]),
    )
    for (const [i, { moves }] of now.entries()) {
      const movedOf = moved[i] as number
      sum.moved += movedOf
      sum.missed += moves.reduce((due, { kind }) => due + kind.count, 0) - movedOf
    }
    batches = next
    if (isOver()) break
  }
  return sum
}

/**
 * What is moved next; nothing at the end. Several batches go at once if no submission is on its way: while one is being
 * committed, another works. Otherwise one: with two, a submission would take twice as long.
 */
async function readNext({ db, submissions }: App, coming: Batches): Promise<Batch[]> {
  const batches: Batch[] = []
  while (batches.length < (submissions.isIdle ? db.moves : 1)) {
    const { done, value } = await coming.next()
    if (done) break
    batches.push(value)
  }
  return batches
}

/** If one fails, the others are waited for all the same: the turn is not given up while something is on its way. */
async function allSettled<Each extends unknown[]>(
  works: { [I in keyof Each]: Promise<Each[I]> },
): Promise<Each> {
  await Promise.allSettled(works)
  return Promise.all(works) as Promise<Each>
}

/** Due claims of a shard that are looked at in one go. */
const LISTED_OF_SHARD = 5_000
const MOST_ROUNDS = 10

/**
 * After a check of distributed tables has failed: checks these shards, if their turns can be had, each by itself, as far as
 * they can be read and written. Of one that fails the rest is left to the next check.
 */
async function checkWhatIsReached(
  app: App,
  checkTime: Date,
  isOver: () => boolean,
  left: readonly number[],
): Promise<void> {
  const { checks } = app.db
  await checks.transaction(async (turn) => {
    const shards = new Set(await takeCheckTurns(turn, left, left.length))
    for (let round = 0; round < MOST_ROUNDS && shards.size > 0 && !isOver(); round++) {
      const ids = await listDueWhereReached(checks, checkTime, LISTED_OF_SHARD)
      let moved = 0
      for (const shard of [...shards]) {
        try {
          for (const batch of inBatches(checks, [shard], ids))
            moved += await moveBatch(app, checkTime, await readBatch(checks, checkTime, batch))
        } catch {
          // Why the check has failed is told already.
          shards.delete(shard)
        }
      }
      if (moved === 0) return
    }
  })
}
