import type { ClaimHistory } from '../model/claim-history.ts'
import type { ClockHistory } from '../model/clock-history.ts'
import type { Contract, State } from '../model/contract.ts'
import type { JsonObject } from '../model/json.ts'
import type { MonotonicRegister } from '../model/monotonic-register.ts'
import type { WorkingHours } from '../model/working-time.ts'

/* The records of the service as the clients know them. */

export interface Account {
  name: string
  userId: string
  token: string
  /** Of a session. */
  cookie: string
  tokens: TokenRecord[]
  customers: Customer[]
  /** External ids of customers that several clients create concurrently. */
  names: Map<string, ExternalIdAttempts>
  /** All claims and candidates whose creation was acknowledged. */
  claims: ClaimRecord[]
  byAddress: Map<string, ClaimRecord>
  clocks: ClockRecord[]
  calendars: CalendarRecord[]
  schemas: SchemaRecord[]
  deletedSchemas: string[]
  lists: FollowedList[]
  feeds: FollowedFeed[]
  hasEventNotifications: boolean
  /** Null without a webhook endpoint. */
  endpoint: WebhookEndpoint | null
  /** Creations with an unknown outcome. */
  unknownClaims: number
  /** Creations without a response so far. */
  claimsInProgress: number
}

export interface Customer {
  id: string
  externalId: string
  /** Number of changes of its name. The name contains it. */
  renames: MonotonicRegister
  /** No client renames the customer, and its name is known. */
  isSettled: boolean
  /** When the creation was sent and acknowledged. */
  sentAt: number
  answeredAt: number
}

/** Attempts to create a customer with this external id. */
export interface ExternalIdAttempts {
  tries: number
  isMade: boolean
}

/** A claim or candidate with all that clients know about it. */
export interface ClaimRecord extends ClaimHistory {
  account: Account
  customer: Customer
  /** Null for the real time. */
  clock: ClockRecord | null
  reminders: readonly number[]
  /** Null for a claim. */
  alias: string | null
  /** Its id, or its alias. */
  address: string
  path: string
  /** Number of changes of its metadata. */
  metadataVersions: MonotonicRegister
  /** No client changes the metadata, and its state is known. */
  isSettled: boolean
  /** The fields that never change, as the creation returned them. */
  fixed: JsonObject
  sentAt: number
  answeredAt: number
  /** The claim was deleted with its clock. */
  isDeleted: boolean
  /** Number of uses. Clients move on to other claims after a while. */
  uses: number
  /** The latest known state. */
  state: State
}

/** A claim whose log clients fill to the limit, concurrently. */
export interface FilledLog {
  record: ClaimRecord
  /** Events that were acknowledged or have an unknown outcome. */
  sent: number
  refused: number
}

/** A claim template. One client at a time changes it, so that its contract is known. */
export interface SchemaRecord {
  id: string
  /** Number of its contract. The contract's price contains it. */
  versions: MonotonicRegister
  /** Price of the contract of each version that is known to exist, from the first on. */
  prices: number[]
  /** A client has tried to delete it. */
  isDeleted: boolean
  /** Null: one of two contracts, not known which. */
  contract: Contract | null
  isBusy: boolean
}

/** A calendar. One client at a time changes it, so that its versions are known. */
export interface CalendarRecord {
  id: string
  path: string
  /** Number of the current version. */
  version: MonotonicRegister
  /** The working hours of each version, from the first on. Whether the last version exists may be unknown. */
  versions: WorkingHours[]
  /** A client has tried to delete it. */
  isDeleted: boolean
  /** The deletion was acknowledged. */
  isDeletionAcknowledged: boolean
  /** A client is changing it, or the outcome of a change is unknown. */
  isBusy: boolean
}

/** A test clock with all that clients know about it. */
export interface ClockRecord extends ClockHistory {
  id: string
  path: string
  /** The latest known time. */
  latest: number
  isDeleted: boolean
  unknownClaims: number
}

/** A list that a client reads repeatedly from its last cursor. No new record may be missing. */
export interface FollowedList {
  path: string
  cursor: string | null
  seen: Set<string>
  isBusy: boolean
}

/** A client that follows the notifications of an account. */
export interface FollowedFeed {
  /** Follows the notifications of events too, even if the account has none. */
  isOfEvents: boolean
  cursor: string | null
  /** The notifications so far, in order. */
  seen: SeenNotification[]
  isBusy: boolean
}

/** A notification in the feed or in a delivery. */
export interface SeenNotification {
  id: string
  type: string
  sequence: number
  /** Id of the recorded event. */
  event: string | null
  /** The address of a claim or candidate. */
  address: string | null
  /** Only of `…due_soon`: the reminder, and the check that found it. */
  reminder: number | null
  checkedAt: string | null
  record: JsonObject
}

/** The webhook endpoint of an account, and the deliveries that arrived. */
export interface WebhookEndpoint {
  url: string
  /** Id of the endpoint. Empty until it is created. */
  id: string
  secret: string
  /** By number. */
  received: Map<number, ReceivedDelivery>
  /** Hashes by number, as the API shows the deliveries. */
  announcedHashes: Map<number, string>
}

export interface ReceivedDelivery {
  notification: JsonObject
  hash: string
  previousHash: string
  /** Time of the first 200. Null without one. */
  acceptedAt: number | null
}

/** Times of a request and its response. */
export interface Span {
  sentAt: number
  answeredAt: number
}

/** An API token with its revocation. */
export interface TokenRecord {
  id: string
  secret: string
  /** Null: it does not expire. */
  expiresAt: number | null
  /** Null: no client has tried. */
  revocation: Span | null
  /** The session that created the token. Revoking it revokes the token. */
  session: { revocation: Span | null } | null
}

/** A person who signed up with an invitation, and signs in and out. */
export interface Person {
  email: string
  /** Null: one of two, not known which. */
  password: string | null
  userId: string
  sessions: Session[]
  /** A client is changing the password or ending sessions. */
  isBusy: boolean
  /** Number of such changes. A session that was opened during one may have ended. */
  changes: number
}

export interface Session {
  cookie: string
  /** Id in lists and revocations. Null: not read yet. */
  name: string | null
  /** 0: active, 1: ended. */
  end: MonotonicRegister
  /** Tokens of the session. They end if the session is revoked, but not if its owner signs out. */
  tokens: TokenRecord[]
  revocation: Span | null
  /** Number of attempts to end it. */
  endings: number
}

export interface Invitation {
  id: string
  key: string
  /** Null: for any email. */
  email: string | null
  account: Account
  /** 0: usable, 1: not usable. */
  end: MonotonicRegister
  /** Null: not revoked. Otherwise the times of the request and the response. */
  withdrawal: Span | null
  /** Number of revocations that were sent. Their order is not known. */
  withdrawals: number
  /** Sign-ups with an unknown outcome, and successful ones. */
  unknown: number
  used: number
}
