import type { Calendar } from './calendars/calendar.ts'
import type { Contract } from './contracts/contract.ts'

/* What an account has, but for its claims and what happens to them (`claims/`). */

/** A record with its version, an opaque text. Each change of a caller changes it. */
export type Versioned<Kind> = Kind & { version: string }

/** The versions of a record that may be changed (`If-Match`); null for any version. */
export type ExpectedVersions = readonly string[] | null

/** An account. It owns all records. */
export interface User {
  id: string
  /** In lower case. */
  email: string
  /** The display name; null if the command line created the account. */
  name: string | null
  createdAt: Date
}

/** The account as its own requests return it. */
export interface Account extends User {
  /** The currency of prices (ISO 4217); null if it is not set. */
  currency: string | null
  /** The time zone of the account's days: a name of the IANA time zone database. */
  timeZone: string
}

/** An event type of the account's latest events. */
export interface KnownEventType {
  type: string
  /** Events of this type among the latest events that were counted. */
  count: number
  newestAt: Date
}

/** The texts of a schema for people. */
export interface SchemaNames {
  name: string | null
  description: string | null
}

/** A reusable claim template (§2.5), "schema" on the wire. */
export interface ClaimSchema extends SchemaNames {
  id: string
  userId: string
  /** From 1 on. Increases with each change of the contract, the name or the description. */
  versionNumber: number
  contract: Contract
  /** The reminders of its claims, ascending; null for none. */
  reminders: readonly number[] | null
  createdAt: Date
  updatedAt: Date
}

/** The token or session that made a change. The token may be revoked or deleted since. */
export type Actor = { kind: 'session' } | { kind: 'token'; id: string; name: string }

/** A version of a schema: the current one or an earlier one. */
export interface SchemaVersion extends SchemaNames {
  schemaId: string
  number: number
  /** The stored JSON, unparsed. */
  contract: string
  createdAt: Date
  /** Null if it is unknown: a server of an older version stored the change. */
  madeBy: Actor | null
}

/** A calendar (§2.15) in its current version. The fields of its working time keep the names of the wire. */
export interface CalendarRecord extends Calendar {
  id: string
  userId: string
  /** From 1 on. Increases with each change. */
  versionNumber: number
  createdAt: Date
  /** When the current version was created. */
  updatedAt: Date
  /** Null unless the calendar is deleted: new claims cannot use it. */
  deletedAt: Date | null
}

/** A version of a calendar. It never changes. */
export interface CalendarVersion extends Calendar {
  calendarId: string
  number: number
  createdAt: Date
  /** Null if the token was deleted while it made the version. */
  madeBy: Actor | null
}

/** A clock that stands at `frozenTime` until it is advanced. */
export interface TestClock {
  id: string
  userId: string
  name: string | null
  frozenTime: Date
  /** The earliest end of a window of the claims and candidates on it; null if none runs. */
  nextDueAt: Date | null
  createdAt: Date
}

/** The key of a test clock. */
export type TestClockReference = Pick<TestClock, 'userId' | 'id'>

/** An API token (§5), without the secret itself. */
export interface ApiToken {
  id: string
  userId: string
  email: string
  name: string
  /** The session that created the token. Null for the command line, and for tokens of older versions of the service. */
  sessionId: string | null
  createdAt: Date
  expiresAt: Date | null
  /** Up to two minutes behind the last use; null if the token was never used. */
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** A one-time key for signing up, without the key itself. */
export interface Invitation {
  id: string
  /** The only email that may use the key, in lower case; null for any. */
  email: string | null
  /** The account whose email, name and password the sign-up sets; null if it creates an account. */
  claimsUserId: string | null
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}
