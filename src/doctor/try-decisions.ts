import { randomInt, randomUUID } from 'node:crypto'
import { CalendarTimes } from '../calendars/calendar-times.ts'
import { moveLockedClock } from '../checks/advance-test-clock.ts'
import { readDueGroups } from '../checks/due-claim-store.ts'
import { moveGroups } from '../checks/move-claims-store.ts'
import { decideGroups } from '../checks/run-scheduled-check.ts'
import { insertClaims, insertClaimsOnTestClock, type NewClaim } from '../claims/insert-claims-store.ts'
import { findStoredContract, type NewContract, newContract } from '../contracts/contract-store.ts'
import { type Contract, windowMs } from '../core/contracts/contract.ts'
import { insertCustomers } from '../customers/customer-store.ts'
import { ClaimCache } from '../events/submission/claim-cache.ts'
import { recordBatch } from '../events/submission/decide-batch.ts'
import { isRetry, PendingSubmission } from '../events/submission/pending-submission.ts'
import { HOUR_MS } from '../kernel/durations.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { DatabaseUnavailable, isTransient } from '../platform/database/database-unavailable.ts'
import type { PooledConnection } from '../platform/database/pool/pooled-connection.ts'
import { insertTestClock, lockTestClock } from '../test-clocks/test-clock-store.ts'
import { DECISION_LOCK_TIMEOUT_MS } from './limits.ts'

/*
 * Tests whether the database allows claims to be decided. Sends the statements of a creation, a submission, a scheduled check and an
 * advance for a nonexistent account, in a transaction that is rolled back. So a revoked permission or a changed constraint, trigger or
 * function is detected before a claim is due.
 */

const TYPE = 'readiness_check'

/** The database refused a statement of a decision. The message names the step. */
export class DecisionRefused extends Error {
  override readonly name = 'DecisionRefused'
}

class RolledBack extends Error {}

/**
 * On distributed tables the claims are on one machine. If that machine is away, the claims on the others can be decided,
 * so this is no fault; the next attempt takes another machine.
 * @returns false if others held locks, so that the result is unknown
 * @throws DecisionRefused, or DatabaseUnavailable
 */
export async function tryDecisions(db: PooledConnection): Promise<boolean> {
  const { distribution } = db
  const claimIds = [distribution.newClaimId(), distribution.newClaimId(), distribution.newClaimId()] as const
  try {
    await db.transaction(async (connection) => {
      const contract = distribution.isOn ? await findStoredContract(connection) : newContract(someContract())
      if (contract !== null) await decide(connection, contract, claimIds)
      throw new RolledBack()
    })
  } catch (error) {
    if (isTransient(error)) return false
    if (distribution.isOn && error instanceof DatabaseUnavailable)
      distribution.markDown(distribution.nodeOf(claimIds[0]))
    else if (!(error instanceof RolledBack)) throw error
  }
  return true
}

async function decide(
  connection: Connection,
  contract: NewContract,
  claimIds: readonly [string, string, string],
): Promise<void> {
  const userId = randomUUID()
  const afterWindowMs = windowMs(contract.contract.activity_window) + HOUR_MS
  const customer = await step('a customer cannot be created', async () => {
    const [stored] = await insertCustomers(connection, [
      { userId, externalId: TYPE, name: null, metadata: {} },
    ])
    return present(stored)
  })
  const claim = (id: string) => newClaim(id, userId, customer.id, contract)
  const [submittedId, dueId, onClockId] = claimIds
  await step('a claim cannot be created', async () => {
    for (const stored of await insertClaims(connection, [claim(submittedId), claim(dueId)])) present(stored)
  })
  await step('an event cannot be recorded', () => submit(connection, userId, submittedId))
  await step('a scheduled check cannot move a claim', () => check(connection, dueId, afterWindowMs))
  await step('a test clock cannot be advanced', () =>
    advance(connection, userId, claim(onClockId), afterWindowMs),
  )
}

/** Settles the claim, unless its contract is another's. */
async function submit(connection: Connection, userId: string, claimId: string): Promise<void> {
  const submission = { id: randomUUID(), type: TYPE, payload: {}, payloadBytes: 2 }
  const address = { kind: 'claim', id: claimId } as const
  const pending = new PendingSubmission({ userId, address, submission, payloadJson: '{}' }, () => {})
  await recordBatch(connection, { cache: new ClaimCache(), calendarTimes: new CalendarTimes() }, [
    { claimId, submissions: [pending] },
  ])
  const result = pending.takeResult()
  if (result instanceof Error) throw result
  if (isRetry(result)) throw result.cause ?? new Error(result.reason)
  const { status } = result.claim
  requireThat(connection.distribution.isOn || status === 'PENDING', `the claim is ${status}`)
}

/** As if its window had elapsed. */
async function check(connection: Connection, claimId: string, afterMs: number): Promise<void> {
  const checkTime = new Date((await readClock(connection)).getTime() + afterMs)
  const groups = decideGroups(await readDueGroups(connection, checkTime, [claimId]), checkTime)
  requireThat(
    (await moveGroups(connection, groups, DECISION_LOCK_TIMEOUT_MS)) === 1,
    'the claim did not move',
  )
}

async function advance(
  connection: Connection,
  userId: string,
  claim: NewClaim,
  afterMs: number,
): Promise<void> {
  const frozenTime = new Date(0)
  const { id } = await insertTestClock(connection, { userId, name: null, frozenTime })
  const created = await insertClaimsOnTestClock(connection, [{ ...claim, testClockId: id }], id)
  present(created?.[0])
  const clock = present(await lockTestClock(connection, userId, id, DECISION_LOCK_TIMEOUT_MS))
  const { counts } = await moveLockedClock(connection, new CalendarTimes(), clock, new Date(afterMs))
  requireThat(counts.size > 0, 'the claim did not move')
}

const newClaim = (id: string, userId: string, customerId: string, contract: NewContract) => ({
  address: { kind: 'claim' as const, id },
  reference: null,
  seed: null,
  userId,
  customerId,
  customerExternalId: null,
  contract,
  schemaId: null,
  schemaVersion: null,
  testClockId: null,
  metadata: {},
})

/** A random price, because servers that store the same contract wait for each other. */
const someContract = (): Contract => ({
  price: randomInt(1e9),
  activity_window: 1,
  review_window: 0,
  fulfillment_condition: { event: TYPE },
  timeout_outcome: 'fail',
})

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    throw new DecisionRefused(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

function present<T>(one: T | null | undefined): T {
  if (one === null || one === undefined) throw new Error('nothing was stored')
  return one
}

function requireThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}
