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
  /** The version of the schema whose contract the claim has. Null without a schema, or if an older server created the claim. */
  schemaVersion: number | null
  testClockId: string | null
  /** Fractions of the activity window, ascending; left out if there are none. No decision reads them. */
  reminders?: readonly number[]
  createdAt: Date
  /** Items in the log. Also the version of the claim, which a guarded write compares. */
  eventCount: number
  /** Bytes of the log's payloads as JSON. */
  logBytes: number
  /**
   * The place in the log of the event that made the claim PENDING. Null if no event did, or if the contract is not
   * extended.
   */
  reviewStart: number | null
}

/** No decision reads the metadata. */
export interface ClaimWithMetadata extends Claim {
  metadata: Metadata
}

/** A record with its contract in another form. */
export type WithContract<Record, Form> = Omit<Record, 'contract'> & { contract: Form }

/** A claim with contract and metadata as stored JSON, which is not parsed: parsing may take long. */
export type StoredClaim = WithContract<Claim, string> & { metadata: string }

/** The fields that every representation of a claim or candidate has. */
export type ClaimFacts = Omit<
  Claim,
  'userId' | 'contract' | 'eventCount' | 'logBytes' | 'reviewStart' | 'clock' | 'reminders'
>

/** A claim or candidate in an export. */
export interface ExportedClaim extends ClaimFacts {
  /** The price of the contract, an exact decimal. */
  price: string
  /** As JSON. */
  metadata: string
}

/** A claim is addressed by its id, a candidate by its alias. */
export type ClaimAddress = { kind: 'claim'; id: string } | { kind: 'candidate'; alias: string }

/** The orders of a list of claims: by creation, by the end of the current window, or by the time of the last change of status. */
export const CLAIM_SORTS = ['created_at', 'due_at', 'status_since'] as const
export type ClaimSort = (typeof CLAIM_SORTS)[number]
