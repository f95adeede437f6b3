import type { Metadata } from '../../kernel/metadata.ts'
import type { Contract } from '../contracts/contract.ts'
import type { ClaimState } from './lifecycle.ts'

/** A claim or a candidate (§2.3, §2.4): a candidate is a claim addressed by the caller's alias. */
export interface Claim extends ClaimState {
  id: string
  userId: string
  customerId: string
  /** The caller's own name for a claim, unique in the account; null if it has none, and for a candidate. */
  reference: string | null
  /** Null for a claim. */
  candidateAlias: string | null
  /** The customer's external_id; null for a claim, which names its customer by UUID. */
  customerExternalId: string | null
  contract: Contract
  schemaId: string | null
  /** Of that schema, whose contract it has; null without a schema, and of a claim that an older version made. */
  schemaVersion: number | null
  testClockId: string | null
  /** Fractions of the activity window, ascending; left out if there are none. No decision reads them. */
  reminders?: readonly number[]
  createdAt: Date
  /** Items in the log; also the version that a write is guarded by. */
  eventCount: number
  /** Bytes of the log's payloads as JSON. */
  logBytes: number
  /**
   * The place in the log of the event that made the claim PENDING. Null if no event did, or if the contract is not
   * extended.
   */
  reviewStart: number | null
}

/** With what callers note about it, which no decision looks at. */
export interface NotedClaim extends Claim {
  metadata: Metadata
}

/** A record with its contract in another form. */
export type WithContract<Record, Form> = Omit<Record, 'contract'> & { contract: Form }

/** A claim whose contract and metadata are only passed on, as the JSON that is stored: making objects of them may take long. */
export type StoredClaim = WithContract<Claim, string> & { metadata: string }

/** What every representation of a claim or candidate has. */
export type ClaimFacts = Omit<
  Claim,
  'userId' | 'contract' | 'eventCount' | 'logBytes' | 'reviewStart' | 'clock' | 'reminders'
>

/** A claim or candidate as an export tells it. */
export interface ExportedClaim extends ClaimFacts {
  /** Of its contract, an exact decimal. */
  price: string
  /** As JSON. */
  metadata: string
}

/** How a caller names a claim (by id) or a candidate (by alias). */
export type ClaimAddress = { kind: 'claim'; id: string } | { kind: 'candidate'; alias: string }

/** What a list of claims may be put in order by: the creation, the end of the current window, or the time in the status. */
export const CLAIM_SORTS = ['created_at', 'due_at', 'status_since'] as const
export type ClaimSort = (typeof CLAIM_SORTS)[number]
