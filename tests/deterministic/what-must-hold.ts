import assert from 'node:assert/strict'
import { EventLog, hashOfId, writeDigest } from '../support/source/claims.ts'
import { ServiceError } from '../support/source/errors.ts'
import { ACTIVITY_SECONDS, LONGEST_REVIEW_SECONDS, REVIEW_SECONDS } from './records.ts'
import type { StoredClaim, StoredEvent } from './store.ts'
import { claimIdOf, type Submitted, type World } from './world.ts'

/** In which each is answered: 10 s, and it is looked each half second. */
const LONGEST_MS = 10_500

/** Of each submission by itself, of all of one id, and of each claim's log. */
export function assertSubmissionsAreAnsweredRightly({ submissions, store, wasDisturbed }: World): void {
  for (const one of submissions) {
    assert.ok(one.answeredAtMs - one.calledAtMs <= LONGEST_MS, `it took too long: ${told(one)}`)
  }
  for (const named of Map.groupBy(submissions, ({ deed }) => JSON.stringify([deed.to, deed.id])).values()) {
    const { to, id } = (named[0] as Submitted).deed
    const claim = store.claims.get(claimIdOf(to)) as StoredClaim
    const events = claim.log.filter((event) => event.id === id)
    assert.ok(events.length <= 1, `the log holds ${id} ${events.length} times`)
    for (const one of named) assertAnswer(one, claim, events[0])
    const recorded = named.filter((one) => !isRefusal(one))
    if (events[0]) assert.ok(recorded.length > 0, `refused, and in the log: ${named.map(told)}`)
    const firsts = named.filter(({ answer }) => !(answer instanceof Error) && !answer?.replayed)
    if (!wasDisturbed) assert.ok(firsts.length <= 1, `recorded twice: ${firsts.map(told)}`)
  }
  assertOrder(submissions, store.claims)
}

function assertAnswer(one: Submitted, claim: StoredClaim, event: StoredEvent | undefined): void {
  const { answer, deed } = one
  if (answer instanceof Error) {
    if (!(answer instanceof ServiceError))
      assert.match(answer.message, /^refused with (P0001|XX000)$/, told(one))
    else if (answer.code === 'EVENT_ID_CONFLICT') assert.ok(event && !isSame(event, deed), told(one))
    else if (answer.code === 'CLAIM_NOT_OPEN') assert.ok(claim.status !== 'OPEN', told(one))
    else if (/NOT_FOUND/.test(answer.code)) assert.notEqual(claim.userId, deed.as, told(one))
    else assert.equal(answer.code, 'UNAVAILABLE', told(one))
    return
  }
  assert.ok(answer, 'it is not answered')
  assert.equal(claim.userId, deed.as, told(one))
  assert.ok(event && isSame(event, deed), `acknowledged, and not in the log: ${told(one)}`)
  assert.deepEqual(answer.event.createdAt, event.createdAt, told(one))
  const upTo = claim.log.slice(0, event.seq)
  if (!answer.replayed && answer.claim.status === 'OPEN')
    assert.ok(!isSettledBy(claim, upTo), `OPEN: ${told(one)}`)
  if (answer.claim.status === 'PENDING') {
    assert.ok(
      isSettledBy(claim, claim.log) || claim.log.some(({ system }) => system),
      `PENDING: ${told(one)}`,
    )
  }
}

/** What one account calls for one claim at one server is recorded in that order, and so is what waited for an answer. */
function assertOrder(submissions: readonly Submitted[], claims: ReadonlyMap<string, StoredClaim>): void {
  const times = Map.groupBy(submissions, ({ deed }) => JSON.stringify([deed.to, deed.id]))
  const alone = submissions.filter(
    ({ deed, answer }) =>
      !(answer instanceof Error) && times.get(JSON.stringify([deed.to, deed.id]))?.length === 1,
  )
  for (const [i, first] of alone.entries()) {
    for (const then of alone.slice(i + 1)) {
      if (first.deed.to !== then.deed.to) continue
      const hasWaited = (first.answeredAt as number) <= then.calledAt
      if (!hasWaited && first.server !== then.server) continue
      const log = claims.get(claimIdOf(first.deed.to))?.log ?? []
      const [a, b] = [first, then].map(({ deed }) => log.findIndex(({ id }) => id === deed.id)) as [
        number,
        number,
      ]
      assert.ok(a < b, `out of order: ${told(first)}; ${told(then)}`)
    }
  }
}

/** Derived: what is kept of a log can be made from it at any time. */
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

/** Every claim is what its log says, told in plain code: nothing before its time, nothing twice. */
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
          ({ deed }) => claimIdOf(deed.to) === claim.id && deed.id === event.id && isSame(event, deed),
        ),
        'an event that nobody sent',
      )
      const restartedMs = Math.min(atMs + REVIEW_SECONDS * 1000, now.sinceMs + LONGEST_REVIEW_SECONDS * 1000)
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

/** Nobody waits, nothing is held, and no problem was found. */
export function assertNothingIsLeft({ apps, store, problems, abandoned, course }: World): void {
  assert.deepEqual(problems.map(String), [])
  for (const { submissions } of apps) assert.equal(submissions.waiting, 0)
  assert.deepEqual(abandoned, [], 'given up within a transaction')
  assert.deepEqual(store.held, [], 'locks that are held')
  assert.equal(store.deadlocks, 0, 'deadlocks')
  assert.deepEqual([course.waiting, course.time.waiting], [0, 0], 'steps and timers')
}

const isSettledBy = ({ decisiveTypes, contract }: StoredClaim, log: readonly StoredEvent[]) =>
  (contract.review ? ['done'] : decisiveTypes).every((type) =>
    log.some((event) => event.type === type && !event.system),
  )
const isSame = (event: StoredEvent, { type, value }: Submitted['deed']) =>
  event.type === type && event.payload === JSON.stringify({ value })
const isUnknown = (answer: unknown) => answer instanceof Error && /not known/.test(answer.message)
const isRefusal = ({ answer }: Submitted) => answer instanceof Error && !isUnknown(answer)
const told = ({ deed, answer }: Submitted) =>
  `${JSON.stringify(deed)} was answered ${answer instanceof Error ? answer.message : JSON.stringify(answer)}`
