import type { Claim } from '../domain/claim.ts'
import { type Contract, decisiveEventTypes, windowMs } from '../domain/contract.ts'
import type { Outcome, Status } from '../domain/lifecycle.ts'
import { candidateId } from './candidate-id.ts'
import type { Connection } from './database.ts'
import { ENTER_TURNSTILE } from './list-page.ts'

/** How a caller names a claim (by id) or a candidate (by alias). */
export type ClaimAddress = { kind: 'claim'; id: string } | { kind: 'candidate'; alias: string }

/** The address as the columns `id` and `candidate_alias` hold it. */
export function addressColumns(address: ClaimAddress): { id: string; alias: string | null } {
  return address.kind === 'claim'
    ? { id: address.id, alias: null }
    : { id: candidateId(address.alias), alias: address.alias }
}

export const CLAIM_COLUMNS = `id, user_id, customer_id, candidate_alias, customer_external_id, contract, status,
  scheduled_outcome, status_since, due_at, event_count, log_bytes, schema_id, test_clock_id, created_at`

export interface ClaimRow {
  id: string
  user_id: string
  customer_id: string
  candidate_alias: string | null
  customer_external_id: string | null
  contract: Contract
  status: Status
  scheduled_outcome: Outcome | null
  status_since: Date
  due_at: Date | null
  event_count: number
  log_bytes: number
  schema_id: string | null
  test_clock_id: string | null
  created_at: Date
}

export function toClaim(row: ClaimRow): Claim {
  return {
    id: row.id,
    userId: row.user_id,
    customerId: row.customer_id,
    candidateAlias: row.candidate_alias,
    customerExternalId: row.customer_external_id,
    contract: row.contract,
    status: row.status,
    scheduledOutcome: row.scheduled_outcome,
    statusSince: row.status_since,
    dueAt: row.due_at,
    eventCount: row.event_count,
    logBytes: row.log_bytes,
    schemaId: row.schema_id,
    testClockId: row.test_clock_id,
    createdAt: row.created_at,
  }
}

export interface NewClaim {
  address: ClaimAddress
  userId: string
  customerId: string
  /** For a candidate. */
  customerExternalId: string | null
  contract: Contract
  schemaId: string | null
  /** Lives by this clock's time; null for the real time. */
  testClockId: string | null
}

/** $11: the clock's row is locked, so that it cannot be advanced past a claim that is just being opened. */
const NOW_ON_TEST_CLOCK = `SELECT frozen_time AS now FROM turnstile, test_clocks
        WHERE test_clocks.user_id = $2::uuid AND test_clocks.id = $11 FOR SHARE OF test_clocks`
const NOW =
  "SELECT date_trunc('milliseconds', clock_timestamp()) AS now FROM turnstile, (SELECT $11::uuid) AS live"

/** Stores a new OPEN claim; null where its id (for a candidate: its alias) is taken, or its clock is gone. */
export async function insertClaim(db: Connection, claim: NewClaim): Promise<Claim | null> {
  const { id, alias } = addressColumns(claim.address)
  const [row] = await db.query<ClaimRow>({
    name: claim.testClockId === null ? 'insert_claim' : 'insert_claim_on_test_clock',
    text: `-- insert_claim
      WITH turnstile AS MATERIALIZED (${ENTER_TURNSTILE}),
      clock AS MATERIALIZED (${claim.testClockId === null ? NOW : NOW_ON_TEST_CLOCK})
      INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract,
        decisive_event_types, status, status_since, due_at, schema_id, test_clock_id, created_at)
      SELECT $3, $2::uuid, $4, $5, $6, $7, $8, 'OPEN', now, now + $9::float8 * interval '1 millisecond', $10,
        $11::uuid, now
      FROM clock
      ON CONFLICT (id) DO NOTHING
      RETURNING ${CLAIM_COLUMNS}`,
    values: [
      'claims',
      claim.userId,
      id,
      claim.customerId,
      alias,
      claim.customerExternalId,
      JSON.stringify(claim.contract),
      decisiveEventTypes(claim.contract),
      windowMs(claim.contract.activity_window),
      claim.schemaId,
      claim.testClockId,
    ],
  })
  return row ? toClaim(row) : null
}
