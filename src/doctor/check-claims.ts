import { NIL } from 'uuid'
import { readLags, readOverdueLag } from '../checks/lag-store.ts'
import { candidateId } from '../claims/claim-ids.ts'
import { findContradictions } from '../core/claims/recompute.ts'
import { batchesByWeight } from '../kernel/batches-by-weight.ts'
import type { Connection } from '../platform/database/connection.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import type { PooledConnection } from '../platform/database/pool/pooled-connection.ts'
import {
  type AuditRecord,
  type ClaimSize,
  countClaims,
  isStandby,
  readAuditRecords,
  readClaimsAfter,
  sampleClaims,
} from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import {
  CLAIM_PAGE_SIZE,
  CLAIM_SAMPLE_SIZE,
  HELD_FEED_SECONDS,
  MAX_BYTES_PER_READ,
  MAX_DELIVERY_WAIT_SECONDS,
  MAX_OVERDUE_SECONDS,
  MAX_REPORTED_CLAIMS,
} from './limits.ts'
import { DecisionRefused, tryDecisions } from './try-decisions.ts'

/** Audits a sample of the claims, or all: evaluates each contract over its log again and compares the result with the stored state. */
export async function checkClaims(
  db: Connection,
  { all, advance }: { all: boolean; advance: (claims: number, total: number) => void },
): Promise<Finding> {
  const total = await countClaims(db)
  const pages = all ? allClaims(db) : [await sampleClaims(db, CLAIM_SAMPLE_SIZE, total)]
  const bounds = { maxWeight: MAX_BYTES_PER_READ, maxItems: CLAIM_PAGE_SIZE }
  const reported: string[] = []
  let [examined, damaged] = [0, 0]
  for await (const page of pages) {
    for (const group of batchesByWeight(page, ({ bytes }) => bytes, bounds)) {
      const records = await readAuditRecords(
        db,
        group.map(({ id }) => id),
      )
      for (const record of records) {
        const contradictions = contradictionsOf(record)
        if (contradictions.length === 0) continue
        damaged++
        if (reported.length < MAX_REPORTED_CLAIMS)
          reported.push(`${nameOf(record)}: ${contradictions.join('; ')}`)
      }
      examined += records.length
      advance(examined, total)
    }
  }
  const what = 'Claims'
  const share = `${examined.toLocaleString('en')} of ${total.toLocaleString('en')}`
  if (damaged === 0) return ok(what, `${share} match their contracts and logs`)
  return fault(
    what,
    `${damaged.toLocaleString('en')} of ${examined.toLocaleString('en')} do not match their contracts and logs: ${reported.join('. ')}`,
    'The rows were changed in the database, or it is damaged. Change nothing, and compare the database with a backup (claimkeeper doctor --backup).',
  )
}

async function* allClaims(db: Connection): AsyncGenerator<ClaimSize[]> {
  for (let after: string = NIL; ; ) {
    const page = await readClaimsAfter(db, after, CLAIM_PAGE_SIZE)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}

function contradictionsOf({ id, alias, contract, isContractIntact, stored, items }: AuditRecord): string[] {
  if (contract === null) return ['its contract is missing']
  const changed = [
    ...(isContractIntact ? [] : ['its contract was changed']),
    ...(alias === null || candidateId(alias) === id ? [] : ['its alias was changed']),
  ]
  return [...changed, ...findContradictions(contract, stored, items)]
}

const nameOf = ({ id, alias }: AuditRecord) => (alias === null ? id : `candidate ${alias}`)

/** Checks whether due claims, notification feeds and webhook deliveries have waited for too long. */
export async function checkWaiting(db: Connection): Promise<Finding[]> {
  const { heldFeedSeconds, dueDeliverySeconds } = await readLags(db)
  return [
    checkOverdue(await readOverdueLag(db)),
    checkFeed(heldFeedSeconds),
    checkDeliveries(dueDeliverySeconds),
  ]
}

function checkOverdue(seconds: number): Finding {
  const what = 'Overdue claims'
  if (seconds <= MAX_OVERDUE_SECONDS)
    return ok(what, seconds > 0 ? `the oldest has been due for ${formatDuration(seconds)}` : 'none')
  return fault(
    what,
    `the oldest has been due for ${formatDuration(seconds)}: no scheduled check completes`,
    'Check whether a server runs, and search its log for scheduled checks.',
  )
}

function checkFeed(seconds: number): Finding {
  const what = 'Notification feeds'
  const found = `an open transaction has held the feeds back for ${formatDuration(seconds)}`
  const advice =
    'Find the open transaction in pg_stat_activity, and end it by pg_terminate_backend if it is not needed.'
  if (seconds > HELD_FEED_SECONDS.fault) return fault(what, found, advice)
  return seconds > HELD_FEED_SECONDS.warning ? warning(what, found, advice) : ok(what, 'not held back')
}

function checkDeliveries(seconds: number): Finding {
  const what = 'Webhook deliveries'
  if (seconds <= MAX_DELIVERY_WAIT_SECONDS) return ok(what, 'no due delivery waits')
  return warning(
    what,
    `the oldest has been due for ${formatDuration(seconds)}`,
    'Check whether a server runs, and read its log.',
  )
}

const formatDuration = (seconds: number) =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`

/** Checks whether the database allows creations, submissions, scheduled checks and advances. The attempt is rolled back. */
export async function checkDecisions(db: PooledConnection): Promise<Finding> {
  const what = 'Decisions'
  if (db.distribution.isOn) return ok(what, 'not tried on distributed tables')
  if (await isStandby(db))
    return warning(what, 'not tried: this is a standby, which accepts no writes', 'Examine the primary too.')
  try {
    return (await tryDecisions(db))
      ? ok(what, 'claims can be created, events recorded, scheduled checks run and test clocks advanced')
      : warning(
          what,
          'not tried: other transactions hold locks',
          'Find open transactions in pg_stat_activity.',
        )
  } catch (error) {
    if (error instanceof DecisionRefused)
      return fault(what, error.message, 'Undo the change in the database.')
    if (!(error instanceof DatabaseUnavailable)) throw error
    const { cause } = error
    return fault(
      what,
      `not tried: ${(cause instanceof Error ? cause : error).message}`,
      'Allow writes to the database.',
    )
  }
}
