import { CONTRACT, contractIfShort, contractIsMissing } from '../contracts/contract-store.ts'
import type { Claim, ClaimFacts, WithContract } from '../core/claims/claim.ts'
import type { Outcome, Status } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { METADATA_IF_SHORT } from '../platform/database/metadata.ts'
import { MAX_INLINE_CONTRACT_BYTES } from './limits.ts'

/** The columns that decisions need, without the contract. */
export const CLAIM_STATE_COLUMNS = `id, user_id, customer_id, reference, candidate_alias, customer_external_id, status,
  scheduled_outcome, status_since, due_at, event_count, log_bytes, review_start, remaining_ms, clock_since, schema_id, schema_version, test_clock_id,
  created_at, reminders`
export const CLAIM_COLUMNS = `${CLAIM_STATE_COLUMNS}, ${CONTRACT} AS contract`
/** With the contract as stored text. The driver does not parse it. */
export const CLAIM_COLUMNS_AS_STORED = `${CLAIM_STATE_COLUMNS}, ${CONTRACT}::text AS contract`
/** With the contract and the metadata, each null if it is long. */
export const CLAIM_COLUMNS_IF_SHORT = `${CLAIM_STATE_COLUMNS}, ${METADATA_IF_SHORT} AS metadata,
  ${contractIfShort(MAX_INLINE_CONTRACT_BYTES)} AS contract`
/** Also the columns that contract and metadata are computed from. */
export const CLAIM_COLUMNS_WITH_HASH = `${CLAIM_STATE_COLUMNS}, metadata, contract, contract_hash`

export interface ClaimRow {
  id: string
  user_id: string
  customer_id: string
  reference: string | null
  candidate_alias: string | null
  customer_external_id: string | null
  contract: Contract
  status: Status
  scheduled_outcome: Outcome | null
  status_since: Date
  due_at: Date | null
  event_count: number
  log_bytes: number
  review_start: number | null
  /** As text, because it is a bigint. */
  remaining_ms: string | null
  clock_since: Date | null
  schema_id: string | null
  schema_version: number | null
  test_clock_id: string | null
  created_at: Date
  reminders: number[] | null
}

export type StoredClaimRow = WithContract<ClaimRow, string>
/** A row of `CLAIM_COLUMNS_IF_SHORT`. */
export type ListedClaimRow = WithContract<ClaimRow, string | null> & { metadata: string | null }
/** Long contracts and metadata are null and are read separately, so a page has at most half a megabyte. */
export type ListedClaim = WithContract<Claim, string | null> & { metadata: string | null }

/** Keeps the contract of the row. It is null if the statement reads only short contracts and this one is long. */
export function toClaim<Contract>(row: WithContract<ClaimRow, Contract>): WithContract<Claim, Contract> {
  return {
    ...toClaimFacts(row),
    userId: row.user_id,
    contract: row.contract,
    eventCount: row.event_count,
    logBytes: row.log_bytes,
    reviewStart: row.review_start,
    ...(row.clock_since && { clock: { remainingMs: Number(row.remaining_ms), since: row.clock_since } }),
    ...(row.reminders && { reminders: row.reminders }),
  }
}

/** As `toClaim`, with the metadata of the row. */
export const toClaimWithMetadata = <Contract, Metadata>(
  row: WithContract<ClaimRow, Contract> & { metadata: Metadata },
): WithContract<Claim, Contract> & { metadata: Metadata } => ({ ...toClaim(row), metadata: row.metadata })

/**
 * For rows of statements that read contracts of any length.
 * @throws UNAVAILABLE if the contract is missing
 */
export function toWholeClaim<Contract>(row: WithContract<ClaimRow, Contract>): WithContract<Claim, Contract> {
  if (row.contract === null) throw contractIsMissing()
  return toClaim(row)
}

/** The columns that every representation of a claim has. */
export type ClaimFactsRow = Omit<
  ClaimRow,
  'user_id' | 'contract' | 'event_count' | 'log_bytes' | 'review_start' | 'reminders'
>

export const toClaimFacts = (row: ClaimFactsRow): ClaimFacts => ({
  id: row.id,
  customerId: row.customer_id,
  reference: row.reference,
  candidateAlias: row.candidate_alias,
  customerExternalId: row.customer_external_id,
  status: row.status,
  scheduledOutcome: row.scheduled_outcome,
  statusSince: row.status_since,
  dueAt: row.due_at,
  schemaId: row.schema_id,
  schemaVersion: row.schema_version,
  testClockId: row.test_clock_id,
  createdAt: row.created_at,
})
