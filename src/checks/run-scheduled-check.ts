/**
 * The scheduled check of a whole minute (§3): every live claim (a claim without a test clock) whose window has elapsed makes
 * its transition.
 *
 * What: a server locks shards that no other server checks (a database that is not distributed has one shard), and works in
 * passes. A pass lists due claims by ranges of the index of due times, reads them in batches, grouped by transition, decides
 * once for each group, and moves the group. Ranges are listed again for claims that were locked or changed meanwhile. Then it
 * sends the reminders that are reached (`send-reminders.ts`).
 * Invariants: a claim moves at most once for a check, by a guarded write. A server that has lost its locks moves nothing.
 * Limits: `limits.ts`. Work pauses while submissions are overloaded (`AdaptiveThrottle`).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { atScheduledCheck } from '../core/claims/lifecycle.ts'
import { holdTotalsBefore, takeBackTotals } from '../overview/resolution-total-store.ts'
import type { Distribution } from '../platform/database/citus/distribution.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import {
  type DueGroup,
  DueIdMerge,
  type DueRange,
  dueBy,
  listDue,
  listDueOnReachableShards,
  lockShards,
  readDueGroups,
} from './due-claim-store.ts'
import {
  DISTRIBUTED_LIST_BATCH_SIZE,
  LIST_BATCH_SIZE,
  LISTING_TIMEOUT_MS,
  MAX_RECOVERY_ROUNDS,
  MAX_REPEATED_PASSES,
  MOVE_BATCH_SIZE,
  MOVE_LOCK_TIMEOUT_MS,
  PASS_SIZE,
  READ_BATCH_SIZE_PER_SHARD,
  RECOVERY_LIST_SIZE_PER_SHARD,
  SHARD_LOCK_POLL_INTERVAL_MS,
} from './limits.ts'
import { moveGroups, type TransitionGroup } from './move-claims-store.ts'
import { withReviewTime } from './review-time.ts'
import { sendDueReminders, sendRemindersOfReachableShards } from './send-reminders.ts'

type CheckContext = Pick<App, 'db' | 'submissions' | 'throttle' | 'calendarTimes'>

/** Claims that are handled at a time; see `limits.ts`. */
export interface CheckSizes {
  list: number
  read: number
  pass: number
  listingMs: number
}

const sizesOf = ({ isOn, shards }: Distribution): CheckSizes => ({
  list: isOn ? DISTRIBUTED_LIST_BATCH_SIZE : LIST_BATCH_SIZE,
  read: isOn ? READ_BATCH_SIZE_PER_SHARD * shards : MOVE_BATCH_SIZE,
  pass: PASS_SIZE,
  listingMs: LISTING_TIMEOUT_MS,
})
/** PostgreSQL's largest integer. A range that is listed again needs no limit: the first list limited it. */
const NO_LIMIT = 2 ** 31 - 1

interface Check {
  checkTime: Date
  isOver: () => boolean
  sizes: CheckSizes
  /** Reasons of claims that were not moved: this server cannot compute the working time of their calendars. */
  failures: RangeError[]
}

/**
 * Safe with any number of servers at once: each shard is checked by one server at a time, and each server returns when all
 * shards were checked. Returns the number of transitions of this server.
 * @param isOver asked after each batch, and while another server has the last shards; if true, the check of a later minute
 *   continues
 * @param sizes for tests
 * @throws also if a part of the database was unavailable, or the working time of a calendar cannot be computed: all other
 *   claims were moved
 */
export async function runScheduledCheck(
  context: CheckContext,
  checkTime: Date,
  isOver = () => false,
  sizes = sizesOf(context.db.distribution),
): Promise<number> {
  const check: Check = { checkTime, isOver, sizes, failures: [] }
  let unchecked = context.db.distribution.allShards()
  let total = 0
  while (unchecked.length > 0) {
    const { shards, moved } = await checkFreeShards(context, check, unchecked)
    total += moved
    unchecked = unchecked.filter((shard) => !shards.includes(shard))
    if (unchecked.length > 0 && isOver()) break
    if (shards.length === 0) await sleep(SHARD_LOCK_POLL_INTERVAL_MS)
  }
  const [failure] = check.failures
  if (failure) throw failure
  return total
}

/** Returns the shards that were free, and how many of their claims moved. */
async function checkFreeShards(
  context: CheckContext,
  check: Check,
  unchecked: readonly number[],
): Promise<{ shards: readonly number[]; moved: number }> {
  const { checks, distribution, maxCheckBatches } = context.db
  try {
    return await checks.transaction(async (locking) => {
      const shards = await lockShards(locking, unchecked, maxCheckBatches)
      if (shards.length === 0) return { shards, moved: 0 }
      await checks.transaction((connection) => takeBackTotals(connection, check.checkTime))
      // The locking connection reads from the coordinator only (see `lockShards`).
      const reader = distribution.isOn ? checks : locking
      const moved = await checkShards(context, { ...check, shards, reader })
      if (!check.isOver()) await sendDueReminders(context, shards, check.checkTime, check.isOver)
      return { shards, moved }
    })
  } catch (error) {
    if (distribution.isOn) await checkReachableShards(context, check, unchecked)
    throw error
  }
}

/** A check of shards whose locks are held. */
interface LockedCheck extends Check {
  shards: readonly number[]
  reader: Connection
}

/** Returns how many claims moved. */
async function checkShards(context: CheckContext, check: LockedCheck): Promise<number> {
  let moved = 0
  let rest: DueRange | null = dueBy(check.checkTime)
  while (rest) {
    const listed = await listRanges(context, check, rest)
    moved += await moveRanges(context, check, listed)
    rest = check.isOver() ? null : listed.rest
  }
  return moved
}

interface ListedRanges {
  /** In the order of ids. The table and most indexes are in about the same order, so fewer pages are written. */
  ids: DueIdMerge
  ranges: DueRange[]
  /** Not listed yet. */
  rest: DueRange | null
}

async function listRanges(
  { throttle }: CheckContext,
  { checkTime, reader, sizes }: LockedCheck,
  { after, upTo }: DueRange,
): Promise<ListedRanges> {
  const ids = new DueIdMerge()
  const ranges: DueRange[] = []
  const endsAt = performance.now() + sizes.listingMs
  let rest: DueRange | null = { after, upTo }
  for (let listed = 0; rest && listed < sizes.pass; listed += sizes.list) {
    if (listed > 0 && performance.now() >= endsAt) break
    const range: DueRange = rest
    const due = await throttle.run(() => listDue(reader, checkTime, range, sizes.list))
    ids.add(due.ids)
    ranges.push(due.range)
    rest = due.count < sizes.list ? null : { after: due.range.upTo, upTo }
  }
  return { ids, ranges, rest }
}

/**
 * Moves the listed claims, and lists the ranges again: for missed claims, and after a long pass in any case. The index of due
 * times keeps entries of moved claims until a statement reads them, which takes as long as reading the claims. Read here,
 * range by range, they do not slow down the first statement of the next check.
 */
async function moveRanges(context: CheckContext, check: LockedCheck, listed: ListedRanges): Promise<number> {
  const { ranges } = listed
  let { moved, missed } = await runPass(context, check, listed.ids)
  let isLong = ranges.length > 1
  for (let pass = 0; pass < MAX_REPEATED_PASSES && (missed > 0 || isLong); pass++) {
    const ids = new DueIdMerge()
    for (const range of ranges) {
      const due = await context.throttle.run(() => listDue(check.reader, check.checkTime, range, NO_LIMIT))
      ids.add(due.ids)
    }
    if (check.isOver()) break
    const repeated = await runPass(context, check, ids)
    moved += repeated.moved
    missed = repeated.missed
    isLong = false
  }
  return moved
}

/** Due claims of one node. One statement moves them. */
interface Batch {
  ids: readonly string[]
  groups: TransitionGroup[]
}

/** Moves a few batches at once, and reads the next batches meanwhile. */
async function runPass(
  context: CheckContext,
  check: LockedCheck,
  ids: DueIdMerge,
): Promise<{ moved: number; missed: number }> {
  const sum = { moved: 0, missed: 0 }
  const source = readBatches(context, check, ids)
  let batches = await nextBatches(context, source)
  while (batches.length > 0) {
    const current = batches
    const [next, ...moved] = await context.throttle.run(() =>
      allAfterSettled([
        nextBatches(context, source),
        ...current.map((batch) => moveBatch(context, check, batch)),
      ]),
    )
    for (const [i, { groups }] of current.entries()) {
      const due = groups.reduce((total, { count }) => total + count, 0)
      sum.moved += moved[i] as number
      sum.missed += due - (moved[i] as number)
    }
    batches = next
    if (check.isOver()) break
  }
  return sum
}

async function* readBatches(
  context: CheckContext,
  check: LockedCheck,
  due: DueIdMerge,
): AsyncGenerator<Batch, void> {
  const { shards, reader, sizes } = check
  for (let ids = due.take(sizes.read); ids.length > 0; ids = due.take(sizes.read)) {
    for (const batch of inBatches(reader, shards, ids)) yield await readBatch(context, check, reader, batch)
  }
}

/**
 * Several batches if no submission is in flight: while one is committed, another runs. Otherwise one: two would double the
 * latency of a submission. Empty at the end.
 */
async function nextBatches(
  { db, submissions }: CheckContext,
  source: AsyncGenerator<Batch, void>,
): Promise<Batch[]> {
  const batches: Batch[] = []
  while (batches.length < (submissions.isIdle ? db.maxCheckBatches : 1)) {
    const { done, value } = await source.next()
    if (done) break
    batches.push(value)
  }
  return batches
}

/** `Promise.all` that waits for all promises also after a failure: locks must not be released while a statement runs. */
async function allAfterSettled<Each extends unknown[]>(
  promises: { [I in keyof Each]: Promise<Each[I]> },
): Promise<Each> {
  await Promise.allSettled(promises)
  return Promise.all(promises) as Promise<Each>
}

/** Batches of the ids that are in these shards, each of one node. */
function* inBatches(
  { distribution }: Connection,
  shards: readonly number[],
  ids: readonly string[],
): Generator<readonly string[]> {
  const locked = new Set(shards)
  const due = ids.filter((id) => locked.has(distribution.shardOf(id)))
  for (const nodeClaims of distribution.byNode(due, (id) => id)) {
    for (let from = 0; from < nodeClaims.length; from += MOVE_BATCH_SIZE)
      yield nodeClaims.slice(from, from + MOVE_BATCH_SIZE)
  }
}

async function readBatch(
  { calendarTimes }: CheckContext,
  { checkTime, failures }: Check,
  db: Connection,
  ids: readonly string[],
): Promise<Batch> {
  const groups: TransitionGroup[] = []
  for (const group of await readDueGroups(db, checkTime, ids)) {
    try {
      const terms = await withReviewTime(calendarTimes, db, group)
      groups.push(...decideGroups([{ ...group, terms }], checkTime))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      failures.push(error)
    }
  }
  return { ids, groups }
}

/** Decides once for each group. Groups without a transition at this check are left out. */
export const decideGroups = (groups: readonly DueGroup[], checkTime: Date): TransitionGroup[] =>
  groups.flatMap((group) => {
    const transition = atScheduledCheck(group.state, group.terms, checkTime, group.lastEventAt)
    return transition ? [{ ...group, transition }] : []
  })

/** Returns how many claims moved. If another transaction locks one of them, halves the batch until only that claim is missed. */
async function moveBatch(context: CheckContext, check: Check, { ids, groups }: Batch): Promise<number> {
  if (groups.length === 0) return 0
  const { checks } = context.db
  try {
    const moved = await checks.transaction(async (connection) => {
      // A server that lost its locks unnoticed must not move claims that another server has checked since.
      if (!(await holdTotalsBefore(connection, check.checkTime)))
        throw new Error('another server has taken over the scheduled check')
      return moveGroups(connection, groups, MOVE_LOCK_TIMEOUT_MS)
    })
    countTransitions(context, groups, moved)
    return moved
  } catch (error) {
    if (!isTransient(error)) throw error
    if (ids.length === 1) return 0
    const half = Math.ceil(ids.length / 2)
    let moved = 0
    for (const part of [ids.slice(0, half), ids.slice(half)])
      moved += await moveBatch(context, check, await readBatch(context, check, checks, part))
    return moved
  }
}

/** Counts transitions by status. If some claims were missed, their group is unknown: the last groups count fewer. */
function countTransitions({ db }: CheckContext, groups: readonly TransitionGroup[], moved: number): void {
  let uncounted = moved
  for (const { count, transition } of groups) {
    const counted = Math.min(uncounted, count)
    db.metrics.instruments.transitions.inc({ by: 'check', to: transition.state.status }, counted)
    uncounted -= counted
  }
}

/**
 * After a failed check of distributed tables: moves the due claims of all reachable shards, each shard separately, and sends
 * reminders. The next check handles a shard that fails.
 */
async function checkReachableShards(
  context: CheckContext,
  check: Check,
  unchecked: readonly number[],
): Promise<void> {
  const { checks } = context.db
  const { checkTime, isOver } = check
  await checks.transaction(async (locking) => {
    const shards = new Set(await lockShards(locking, unchecked, unchecked.length))
    for (let round = 0; round < MAX_RECOVERY_ROUNDS && shards.size > 0 && !isOver(); round++) {
      const ids = await listDueOnReachableShards(checks, checkTime, RECOVERY_LIST_SIZE_PER_SHARD)
      let moved = 0
      for (const shard of [...shards]) {
        try {
          for (const batch of inBatches(checks, [shard], ids))
            moved += await moveBatch(context, check, await readBatch(context, check, checks, batch))
        } catch {
          // Not thrown: the error of the failed check is thrown and logged.
          shards.delete(shard)
        }
      }
      if (moved === 0) break
    }
    if (!isOver()) await sendRemindersOfReachableShards(context, shards, checkTime)
  })
}
