import type { Calendar } from './calendars/calendar.ts'
import type { Contract } from './contracts/contract.ts'

/* What an account has, but for its claims and what happens to them (`claims/`). */

/** A record with its version, which is another after each change that callers can make. */
export type Versioned<Kind> = Kind & { version: string }

/** Those of a record that a change may be made of; null for any. */
export type ExpectedVersions = readonly string[] | null

/** An account: everything that the service holds belongs to one. */
export interface User {
  id: string
  /** In lower case. */
  email: string
  /** For people; null if the command line made the account. */
  name: string | null
  createdAt: Date
}

/** As it is shown to itself. */
export interface Account extends User {
  /** In which it counts its prices (ISO 4217); null if it has not said so. */
  currency: string | null
  /** By whose days it goes: a name of the IANA time zone database. */
  timeZone: string
}

/** A type that the latest events of an account have. */
export interface SeenEventType {
  type: string
  /** Among those that were looked at. */
  count: number
  newestAt: Date
}

/** What people call a schema, and what they note about it. */
export interface SchemaNames {
  name: string | null
  description: string | null
}

/** A reusable claim template (§2.5), "schema" on the wire. */
export interface ClaimSchema extends SchemaNames {
  id: string
  userId: string
  /** From 1 on: one more with each change of the contract or of a name. */
  versionNumber: number
  contract: Contract
  /** Of its claims, ascending; null for none. */
  reminders: readonly number[] | null
  createdAt: Date
  updatedAt: Date
}

/** Who changed something; a token may be revoked, or forgotten, since. */
export type Actor = { kind: 'session' } | { kind: 'token'; id: string; name: string }

/** What a schema was, or is. */
export interface SchemaVersion extends SchemaNames {
  schemaId: string
  number: number
  /** As JSON, as it is stored. */
  contract: string
  createdAt: Date
  /** Null if it is not known: a server of an older version made it. */
  madeBy: Actor | null
}

/** A calendar (§2.15) in its current version. The fields of its working time keep the names of the wire. */
export interface CalendarRecord extends Calendar {
  id: string
  userId: string
  /** From 1 on: one more with each change. */
  versionNumber: number
  createdAt: Date
  /** When the current version was made. */
  updatedAt: Date
  /** Null unless it is closed to new contracts. */
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

/** Which clock of which account. */
export type TestClockReference = Pick<TestClock, 'userId' | 'id'>

/** An API token (§5), without the secret itself. */
export interface ApiToken {
  id: string
  userId: string
  email: string
  name: string
  /** In which it was made; null for the command line, and if it was not recorded yet. */
  sessionId: string | null
  createdAt: Date
  expiresAt: Date | null
  /** At most a minute or two behind; null if it was never used. */
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** A one-time key for signing up, without the key itself. */
export interface Invitation {
  id: string
  /** Who may use it, in lower case; null for anyone who has the key. */
  email: string | null
  /** The account whose email, name and password it sets; null if it makes a new one. */
  claimsUserId: string | null
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}
