import { absenceErrors } from '../../claims/archived/absent-claim.ts'
import { type ClaimToDecide, readClaimsToDecide } from '../../claims/claims-to-decide.ts'
import { type Append, type Appended, appendEvents } from '../../claims/write/append-events-store.ts'
import type { TimeSource } from '../../claims/write/recording-time-store.ts'
import { contractIsMissing } from '../../contracts/contract-store.ts'
import type { Claim } from '../../core/claims/claim.ts'
import { isExtended } from '../../core/contracts/contract.ts'
import { claimNotFound } from '../../core/record-errors.ts'
import { Retry } from '../../platform/concurrency/batcher.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Database } from '../../platform/database/database.ts'
import type { LockedClocks } from '../../test-clocks/locked-clocks.ts'
import { MAX_BATCH_PARSED_BYTES, MAX_BATCH_PAYLOAD_BYTES, MAX_BATCH_READ_BYTES } from '../limits.ts'
import type { SubmissionMetrics, SubmissionTraces } from '../submission-metrics.ts'
import {
  type ClaimCache,
  type ClaimSnapshot,
  type LongLogLoader,
  mightContain,
  newSnapshot,
} from './claim-cache.ts'
import { PendingDecision } from './pending-decision.ts'
import {
  endsBatch,
  isRetry,
  LONG_LOG,
  type PendingSubmission,
  resultOfFailure,
  STALE,
  type SubmissionResult,
  type SubmissionRetry,
  type SubmittedEvent,
  setResults,
} from './pending-submission.ts'
import { readRepeated } from './read-repeated.ts'
import {
  type ExtendedContext,
  type ExtendedSubmissions,
  extendedSubmissions,
  recordExtended,
} from './record-extended.ts'

/** An oversized claim counts as this many bytes of payload for each byte to read. */
const READ_BYTE_WEIGHT = MAX_BATCH_PAYLOAD_BYTES / MAX_BATCH_PARSED_BYTES

/** What the commit of a batch needs. */
interface CommitContext extends ExtendedContext {
  db: Database
  longLogs: LongLogLoader
  lockedClocks: LockedClocks
  metrics: SubmissionMetrics
  traces: SubmissionTraces | null
}

/** Records a batch with claims of one node. Returns the outcome of each submission. Never rejects. */
export async function commitBatch(
  context: CommitContext,
  submissions: readonly PendingSubmission[],
  node: number,
): Promise<(SubmittedEvent | Error | Retry)[]> {
  const { db, metrics, traces } = context
  const batch = groupByClaim(submissions)
  metrics.start(submissions)
  const span = traces?.start(submissions, batch.length, node)
  try {
    await db.submissionsTo(node).withConnection((connection) => recordBatch(connection, context, batch))
  } catch (error) {
    // The pool had no connection, or could not take it back. What was written stays written.
    for (const one of submissions) one.result ??= error as Error
  }
  span?.end()
  return submissions.map((one) => outcomeOf(context, one))
}

/** The batcher returns the submissions of one account to one claim one after the other. */
function groupByClaim(submissions: readonly PendingSubmission[]): ClaimSubmissions[] {
  const groups: { claimId: string; userId: string; submissions: PendingSubmission[] }[] = []
  for (const one of submissions) {
    const { claimId } = one
    const { userId } = one.request
    const last = groups.at(-1)
    if (last?.claimId === claimId && last.userId === userId) last.submissions.push(one)
    else groups.push({ claimId, userId, submissions: [one] })
  }
  return groups
}

function outcomeOf(
  { lockedClocks, longLogs }: CommitContext,
  submission: PendingSubmission,
): SubmittedEvent | Error | Retry {
  const result = submission.takeResult()
  if (!isRetry(result)) return result
  const { reason, lockedClock, bytes = 0 } = result
  if (lockedClock) return new Retry({ after: () => lockedClocks.untilFree(lockedClock) })
  switch (reason) {
    case 'stale':
      return new Retry()
    case 'refused in batch':
      return new Retry({ isAlone: true })
    case 'oversized':
      return new Retry({ keyWeight: READ_BYTE_WEIGHT * bytes })
    case 'long log': {
      const { claimId, request } = submission
      return new Retry({ after: (isWanted) => longLogs.load(request.userId, claimId, isWanted) })
    }
    default:
      return new Retry({ after: 'backoff' })
  }
}

/** Submissions of one account to one claim, in order. */
export interface ClaimSubmissions {
  readonly claimId: string
  readonly submissions: readonly PendingSubmission[]
}

/**
 * Decides and records the submissions of a batch. One statement reads the claims that are not in the cache. One statement
 * writes all claims, and one more per account its claims on test clocks. Claims of extended contracts follow
 * (`record-extended.ts`). Sets the result of each submission. Never rejects. A claim may be in the batch once for each account.
 */
export async function recordBatch(
  db: Connection,
  context: ExtendedContext,
  batch: readonly ClaimSubmissions[],
): Promise<void> {
  const { cache } = context
  const extended: ExtendedSubmissions[] = []
  try {
    const decisions = await decideBatch(db, cache, batch, extended)
    await readRepeated(db, decisions)
    const hasEnded = await writeDecisions(db, decisions)
    for (const decision of decisions) decision.complete(cache)
    if (hasEnded) for (const { submissions } of extended) setResults(submissions, STALE)
    else if (extended.length > 0) await recordEachExtended(db, context, extended)
  } catch (error) {
    // Nothing was written. The cause may be a snapshot.
    for (const { claimId } of batch) cache.delete(claimId)
    const submissions = batch.flatMap((one) => one.submissions)
    setResults(submissions, resultOfFailure(error as Error, submissions.length))
  }
}

/** Never rejects. */
async function recordEachExtended(
  db: Connection,
  context: ExtendedContext,
  found: readonly ExtendedSubmissions[],
): Promise<void> {
  const undecided = await recordExtended(db, context, found)
  if (undecided.length === 0) return
  const again: ExtendedSubmissions[] = []
  const batch = undecided.map(({ snapshot, submissions }) => ({ claimId: snapshot.claim.id, submissions }))
  try {
    const others = await decideFromDatabase(db, context.cache, batch, again)
    // A contract of the five fields: the claim was deleted with its test clock, and its id is in use again.
    for (const decision of others) decision.reject(STALE)
    await recordExtended(db, context, again)
  } catch (error) {
    const submissions = batch.flatMap((one) => one.submissions)
    setResults(submissions, resultOfFailure(error as Error, submissions.length))
  }
}

const NONE: ReadonlySet<string> = new Set()

/**
 * A submission that is not part of a returned decision has its result already, or is added to `extended`.
 */
async function decideBatch(
  db: Connection,
  cache: ClaimCache,
  batch: readonly ClaimSubmissions[],
  extended: ExtendedSubmissions[],
): Promise<PendingDecision[]> {
  const decisions: PendingDecision[] = []
  const unknown: ClaimSubmissions[] = []
  // Only a write detects a stale snapshot, so a decision that writes nothing is not valid.
  const use = (one: ClaimSubmissions, decision: PendingDecision | null) => {
    if (decision?.writes) decisions.push(decision)
    else unknown.push(one)
  }
  const slow: [ClaimSubmissions, ClaimSnapshot][] = []
  for (const one of batch) {
    const snapshot = snapshotFor(cache, one)
    if (snapshot && isExtended(snapshot.claim.contract)) extended.push(fromCache(snapshot, one))
    else if (snapshot && !PendingDecision.isFast(one.submissions)) slow.push([one, snapshot])
    else use(one, snapshot && PendingDecision.ofFast(snapshot, one.submissions, NONE))
  }
  if (slow.length > 0) await runCooperatively(decideSlow(slow, use))
  if (unknown.length > 0) decisions.push(...(await decideFromDatabase(db, cache, unknown, extended)))
  return decisions
}

/**
 * Null if there is no snapshot, if the claim is another account's, or if a submission may repeat an event: the event
 * must be read.
 */
function snapshotFor(cache: ClaimCache, { claimId, submissions }: ClaimSubmissions): ClaimSnapshot | null {
  const snapshot = cache.get(claimId)
  if (!snapshot || !isOwn(snapshot.claim, submissions)) return null
  return submissions.some(({ request }) => mightContain(snapshot, request.submission.id)) ? null : snapshot
}

/** @param submissions of one account */
const isOwn = ({ userId }: Claim, submissions: readonly PendingSubmission[]): boolean =>
  submissions[0]?.request.userId === userId

const fromCache = (snapshot: ClaimSnapshot, { submissions }: ClaimSubmissions): ExtendedSubmissions => ({
  snapshot,
  submissions,
  recordedIds: NONE,
  isFromCache: true,
})

function* decideSlow(
  slow: readonly [ClaimSubmissions, ClaimSnapshot][],
  use: (one: ClaimSubmissions, decision: PendingDecision) => void,
): Generator<void, void> {
  for (const [one, snapshot] of slow) use(one, yield* PendingDecision.of(snapshot, one.submissions, NONE))
}

async function decideFromDatabase(
  db: Connection,
  cache: ClaimCache,
  batch: readonly ClaimSubmissions[],
  extended: ExtendedSubmissions[],
): Promise<PendingDecision[]> {
  const byClaim = Map.groupBy(batch, ({ claimId }) => claimId)
  const eventIds = new Map(byClaim.entries().map(([id, ones]) => [id, ones.flatMap(idsOf)]))
  const { claims, oversized, withoutContract } = await readClaimsToDecide(
    db,
    eventIds,
    MAX_BATCH_READ_BYTES,
    MAX_BATCH_PARSED_BYTES,
  )
  const setAll = (id: string, result: SubmissionResult) => {
    for (const { submissions } of byClaim.get(id) ?? []) setResults(submissions, result)
    byClaim.delete(id)
  }
  for (const [id, bytes] of oversized) setAll(id, { reason: 'oversized', bytes })
  for (const id of withoutContract) setAll(id, contractIsMissing())
  const decisions = await runCooperatively(decideEach(claims, cache, byClaim, extended))
  await rejectAbsent(
    db,
    [...byClaim.values()].flat().flatMap(({ submissions }) => submissions),
  )
  return decisions
}

/** Submissions to claims that do not exist. */
async function rejectAbsent(db: Connection, submissions: readonly PendingSubmission[]): Promise<void> {
  if (submissions.length === 0) return
  const errorOf = await absenceErrors(
    db,
    submissions.map(({ request }) => request.address),
  )
  for (const one of submissions) one.result = errorOf(one.request)
}

const idsOf = ({ submissions }: ClaimSubmissions) => submissions.map(({ request }) => request.submission.id)

/** One step per contract, log and submission, because each may be long. Removes the claims that it finds from the map. */
function* decideEach(
  found: Iterable<ClaimToDecide>,
  cache: ClaimCache,
  byClaim: Map<string, readonly ClaimSubmissions[]>,
  extended: ExtendedSubmissions[],
): Generator<void, PendingDecision[]> {
  const decisions: PendingDecision[] = []
  for (const read of found) {
    yield
    for (const { submissions } of byClaim.get(read.claim.id) ?? []) {
      if (isExtended(read.claim.contract)) {
        if (isOwn(read.claim, submissions))
          extended.push(yield* extendedSubmissions(read, cache, submissions))
        // Another account must not wait for the claim's test clock: it would learn that the claim exists.
        else for (const one of submissions) one.result = claimNotFound(one.request.address)
        continue
      }
      const decision = yield* decideOne(read, cache, submissions)
      if (decision) decisions.push(decision)
      else setResults(submissions, LONG_LOG)
    }
    byClaim.delete(read.claim.id)
  }
  return decisions
}

/**
 * A claim whose log was not read is enough for a decision that appends nothing. A decision that appends needs the log: it
 * takes a snapshot of the same version from the cache. Null if the cache has none.
 */
function* decideOne(
  read: ClaimToDecide,
  cache: ClaimCache,
  submissions: readonly PendingSubmission[],
): Generator<void, PendingDecision | null> {
  const recorded = new Set(read.eventIds)
  const own = newSnapshot(read)
  yield
  const decision = yield* PendingDecision.of(own, submissions, recorded)
  if (read.isWhole || !decision.writes) return decision
  const cached = cache.getVersion(read.claim)
  return cached ? yield* PendingDecision.of(cached, submissions, recorded) : null
}

/**
 * Writes the claims without a test clock together, and the claims on test clocks account by account. A failed statement says
 * nothing about the statements before it. Never rejects; each decision knows its outcome. Returns whether the batch has ended
 * (`endsBatch`).
 */
async function writeDecisions(db: Connection, decisions: readonly PendingDecision[]): Promise<boolean> {
  const writing = decisions.filter(({ writes }) => writes)
  let hasEnded = false
  for (const some of Map.groupBy(writing, ({ clockOwner }) => clockOwner).values()) {
    const result = hasEnded ? STALE : await write(db, some)
    hasEnded ||= endsBatch(result)
    for (const decision of some) decision.written = writtenBy(decision, result)
  }
  return hasEnded
}

async function write(
  db: Connection,
  decisions: readonly PendingDecision[],
): Promise<Appended | SubmissionRetry | Error> {
  const appends = decisions.map(({ append }) => append)
  const { testClockId, userId } = (appends[0] as Append).seen
  const time: TimeSource = testClockId === null ? { kind: 'live' } : { kind: 'test clocks', userId }
  try {
    return await appendEvents(db, appends, time)
  } catch (error) {
    return resultOfFailure(error as Error, appends.flatMap(({ events }) => events).length)
  }
}

function writtenBy(
  { snapshot: { claim } }: PendingDecision,
  result: Appended | SubmissionRetry | Error,
): Date | SubmissionRetry | Error {
  if (result instanceof Error || isRetry(result)) return result
  const { id, userId, testClockId } = claim
  const now = result.clocks.get(testClockId)
  if (now) return result.stale.has(id) ? STALE : (result.later.get(id) ?? now)
  return { reason: 'clock held', lockedClock: { userId, id: testClockId as string } }
}
