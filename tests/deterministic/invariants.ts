import assert from 'node:assert/strict'
import { EventLog, hashOfId, writeDigest } from '../support/source/claims.ts'
import { ServiceError } from '../support/source/errors.ts'
import { ACTIVITY_SECONDS, MAX_REVIEW_SECONDS, REVIEW_SECONDS } from './records.ts'
import type { StoredClaim, StoredEvent } from './store.ts'
import { claimIdOf, type Submitted, type World } from './world.ts'

/** The timeout is 10 s and is checked every 0.5 s. */
const MAX_RESPONSE_MS = 10_500

/** Checks each submission, all submissions of one id, and the order of each log. */
export function assertSubmissionResults({ submissions, store, wasDisturbed }: World): void {
  for (const one of submissions) {
    assert.ok(
      one.answeredAtMs - one.calledAtMs <= MAX_RESPONSE_MS,
      `the response took too long: ${describe(one)}`,
    )
  }
  for (const named of Map.groupBy(submissions, ({ operation }) =>
    JSON.stringify([operation.to, operation.id]),
  ).values()) {
    const { to, id } = (named[0] as Submitted).operation
    const claim = store.claims.get(claimIdOf(to)) as StoredClaim
    const events = claim.log.filter((event) => event.id === id)
    assert.ok(events.length <= 1, `the log holds ${id} ${events.length} times`)
    for (const one of named) assertAnswer(one, claim, events[0])
    const recorded = named.filter((one) => !isRefusal(one))
    if (events[0]) assert.ok(recorded.length > 0, `refused, and in the log: ${named.map(describe)}`)
    const firsts = named.filter(({ answer }) => !(answer instanceof Error) && !answer?.replayed)
    if (!wasDisturbed) assert.ok(firsts.length <= 1, `recorded twice: ${firsts.map(describe)}`)
  }
  assertOrder(submissions, store.claims)
}

function assertAnswer(one: Submitted, claim: StoredClaim, event: StoredEvent | undefined): void {
  const { answer, operation } = one
  if (answer instanceof Error) {
    if (!(answer instanceof ServiceError))
      assert.match(answer.message, /^refused with (P0001|XX000)$/, describe(one))
    else if (answer.code === 'EVENT_ID_CONFLICT') assert.ok(event && !isSame(event, operation), describe(one))
    else if (answer.code === 'CLAIM_NOT_OPEN') assert.ok(claim.status !== 'OPEN', describe(one))
    else if (/NOT_FOUND/.test(answer.code)) assert.notEqual(claim.userId, operation.as, describe(one))
    else assert.equal(answer.code, 'UNAVAILABLE', describe(one))
    return
  }
  assert.ok(answer, 'no response')
  assert.equal(claim.userId, operation.as, describe(one))
  assert.ok(event && isSame(event, operation), `acknowledged, and not in the log: ${describe(one)}`)
  assert.deepEqual(answer.event.createdAt, event.createdAt, describe(one))
  const upTo = claim.log.slice(0, event.seq)
  if (!answer.replayed && answer.claim.status === 'OPEN')
    assert.ok(!isSettledBy(claim, upTo), `OPEN: ${describe(one)}`)
  if (answer.claim.status === 'PENDING') {
    assert.ok(
      isSettledBy(claim, claim.log) || claim.log.some(({ system }) => system),
      `PENDING: ${describe(one)}`,
    )
  }
}

/** A log keeps the order of calls at one server, and of calls made after the response to another. */
function assertOrder(submissions: readonly Submitted[], claims: ReadonlyMap<string, StoredClaim>): void {
  const times = Map.groupBy(submissions, ({ operation }) => JSON.stringify([operation.to, operation.id]))
  const alone = submissions.filter(
    ({ operation, answer }) =>
      !(answer instanceof Error) && times.get(JSON.stringify([operation.to, operation.id]))?.length === 1,
  )
  for (const [i, first] of alone.entries()) {
    for (const then of alone.slice(i + 1)) {
      if (first.operation.to !== then.operation.to) continue
      const hasWaited = (first.answeredAt as number) <= then.calledAt
      if (!hasWaited && first.server !== then.server) continue
      const log = claims.get(claimIdOf(first.operation.to))?.log ?? []
      const [a, b] = [first, then].map(({ operation }) => log.findIndex(({ id }) => id === operation.id)) as [
        number,
        number,
      ]
      assert.ok(a < b, `out of order: ${describe(first)}; ${describe(then)}`)
    }
  }
}

/** A digest is derived: the log alone gives the same digest. */
function assertDigestIsOfLog({ status, digest, lastEventAt, log, contract, ...claim }: StoredClaim): void {
  if (contract.review) {
    assert.equal(digest, null)
    assert.equal(claim.decidedCount, claim.eventCount)
    if (lastEventAt) assert.deepEqual(lastEventAt, log.at(-1)?.createdAt)
    return
  }
  assert.equal(lastEventAt?.getTime(), status === 'OPEN' ? log.at(-1)?.createdAt.getTime() : undefined)
  if (log.length === 0 || status !== 'OPEN') {
    assert.equal(digest, null)
    return
  }
  const { fulfillment_condition: condition } = contract
  const whole = EventLog.of(
    condition,
    log.map((event) => ({ ...event, payload: JSON.parse(event.payload) })),
  )
  const hashes = log.map(({ id }) => hashOfId(id))
  assert.equal(digest?.toString('hex'), writeDigest(condition, whole, hashes) ?? undefined)
}

/** A second implementation of the lifecycle gives the same claim from the log: no transition early or twice. */
export function assertClaimsFollowTheirLogs({ store, submissions }: World): void {
  for (const claim of store.claims.values()) {
    const now = {
      status: 'OPEN',
      outcome: null as string | null,
      sinceMs: claim.createdAt.getTime(),
      dueMs: claim.createdAt.getTime() + ACTIVITY_SECONDS * 1000,
    }
    let lastMs = claim.createdAt.getTime()
    assert.equal(claim.log.length, claim.eventCount)
    assertDigestIsOfLog(claim)
    for (const [i, event] of claim.log.entries()) {
      const atMs = event.createdAt.getTime()
      assert.equal(event.seq, i + 1)
      assert.ok(atMs >= lastMs, `times run backwards in ${claim.id}`)
      lastMs = atMs
      const isClosing = event.type === 'activity_window_elapsed'
      if (event.system) {
        assert.equal(now.status, isClosing ? 'OPEN' : 'PENDING', `${event.type} in ${now.status}`)
        assert.ok(atMs >= now.dueMs, `${event.type} before its time`)
        now.outcome = isClosing ? 'FAILED' : now.outcome
        now.status = isClosing ? 'PENDING' : (now.outcome as string)
        now.sinceMs = atMs
        now.dueMs = isClosing ? atMs + REVIEW_SECONDS * 1000 : Infinity
        continue
      }
      const isInReview = claim.contract.review && now.outcome === 'CONFIRMED' && now.status === 'PENDING'
      assert.ok(now.status === 'OPEN' || isInReview, `an event came into a claim that is ${now.status}`)
      const isLate = atMs >= now.dueMs
      if (claim.contract.review) assert.equal(event.lateMs, isLate ? atMs - now.dueMs : null)
      assert.ok(
        submissions.some(
          ({ operation }) =>
            claimIdOf(operation.to) === claim.id && operation.id === event.id && isSame(event, operation),
        ),
        'an event that nobody sent',
      )
      const restartedMs = Math.min(atMs + REVIEW_SECONDS * 1000, now.sinceMs + MAX_REVIEW_SECONDS * 1000)
      if (isInReview && event.type === 'a') now.outcome = 'FAILED'
      else if (isInReview && event.type === 'b' && !isLate) now.dueMs = Math.max(now.dueMs, restartedMs)
      if (isInReview || !isSettledBy(claim, claim.log.slice(0, i + 1))) continue
      Object.assign(now, {
        status: 'PENDING',
        outcome: 'CONFIRMED',
        sinceMs: atMs,
        dueMs: atMs + REVIEW_SECONDS * 1000,
      })
    }
    assert.deepEqual(
      [claim.status, claim.outcome, claim.dueAt?.getTime() ?? Infinity],
      [now.status, now.outcome, now.dueMs],
      claim.id,
    )
  }
}

/** No problem, waiting call, lock or timer is left. */
export function assertNothingIsLeft({ apps, store, problems, abandoned, scheduler }: World): void {
  assert.deepEqual(problems.map(String), [])
  for (const { submissions } of apps) assert.equal(submissions.waiting, 0)
  assert.deepEqual(abandoned, [], 'closed within a transaction')
  assert.deepEqual(store.held, [], 'locks')
  assert.equal(store.deadlocks, 0, 'deadlocks')
  assert.deepEqual([scheduler.pending, scheduler.time.pendingTimers], [0, 0], 'steps and timers')
}

const isSettledBy = ({ decisiveTypes, contract }: StoredClaim, log: readonly StoredEvent[]) =>
  (contract.review ? ['done'] : decisiveTypes).every((type) =>
    log.some((event) => event.type === type && !event.system),
  )
const isSame = (event: StoredEvent, { type, value }: Submitted['operation']) =>
  event.type === type && event.payload === JSON.stringify({ value })
const isUnknown = (answer: unknown) => answer instanceof Error && /not known/.test(answer.message)
const isRefusal = ({ answer }: Submitted) => answer instanceof Error && !isUnknown(answer)
const describe = ({ operation, answer }: Submitted) =>
  `${JSON.stringify(operation)} was answered ${answer instanceof Error ? answer.message : JSON.stringify(answer)}`
