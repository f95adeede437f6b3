import type { ClockStory } from '../model/clock-story.ts'
import type { Contract, State } from '../model/contract.ts'
import type { JsonObject } from '../model/json.ts'
import type { Rising } from '../model/rising.ts'
import type { Story } from '../model/story.ts'
import type { Hours } from '../model/working-time.ts'

/* What clients know of the records of the service. */

export interface Account {
  name: string
  userId: string
  token: string
  /** Of somebody who is signed in. */
  cookie: string
  tokens: TokenRecord[]
  customers: Customer[]
  /** Of customers that several clients want to make. */
  names: Map<string, Naming>
  /** All claims and candidates whose creation was acknowledged. */
  claims: ClaimRecord[]
  byAddress: Map<string, ClaimRecord>
  clocks: ClockRecord[]
  calendars: CalendarRecord[]
  schemas: SchemaRecord[]
  deletedSchemas: string[]
  lists: FollowedList[]
  feeds: FollowedFeed[]
  isToldOfEvents: boolean
  /** Null: its notifications are sent to nobody. */
  hook: Hook | null
  /** Creations of which nobody knows whether they took effect. */
  unknownClaims: number
  /** Creations that were not answered yet. */
  claimsUnderWay: number
}

export interface Customer {
  id: string
  externalId: string
  /** How often it was renamed, which its name tells. */
  renames: Rising
  /** Nobody renames it, and its name is known. */
  isSettled: boolean
  /** When its creation was sent and acknowledged. */
  sentAt: number
  answeredAt: number
}

/** What was tried to make a customer of this name. */
export interface Naming {
  tries: number
  isMade: boolean
}

/** A claim or candidate with all that was seen of it. */
export interface ClaimRecord extends Story {
  account: Account
  customer: Customer
  /** Null for the real time. */
  clock: ClockRecord | null
  /** Null for a claim. */
  alias: string | null
  /** Its id, or its alias. */
  address: string
  path: string
  /** How often its metadata was changed. */
  notes: Rising
  /** Nobody changes it, and how often it was is known. */
  isSettled: boolean
  /** What never changes, as the creation answered it. */
  fixed: JsonObject
  sentAt: number
  answeredAt: number
  /** It was deleted with its clock. */
  isGone: boolean
  /** How often it was used; after a while clients go on to others. */
  uses: number
  /** The latest that was seen. */
  state: State
}

/** A claim that is filled to its last event, while others submit to it too. */
export interface Filling {
  record: ClaimRecord
  /** Events that were acknowledged, or whose outcome nobody knows. */
  sent: number
  refused: number
}

/** A claim template. Each is changed by one client at a time, so that what it holds is known. */
export interface SchemaRecord {
  id: string
  /** Which contract it has; the contract's price tells. */
  versions: Rising
  /** Of the contract of each of its versions, from the first on, as far as it is known that they were made. */
  prices: number[]
  /** Somebody tries, or tried. */
  isDeleted: boolean
  /** Null: nobody knows which of two. */
  contract: Contract | null
  isBusy: boolean
}

/** A calendar. Each is changed by one client at a time, so that what its versions are is known. */
export interface CalendarRecord {
  id: string
  path: string
  /** The number of the current one. */
  version: Rising
  /** Of each version, from the first on; of the last nobody may know whether it was made. */
  versions: Hours[]
  /** Somebody tries, or tried. */
  isDeleted: boolean
  isSurelyDeleted: boolean
  /** Somebody changes it; or nobody knows what became of a change. */
  isBusy: boolean
}

/** A test clock with all that was seen of it. */
export interface ClockRecord extends ClockStory {
  id: string
  path: string
  /** As far as was seen. */
  latest: number
  isDeleted: boolean
  unknownClaims: number
}

/** A list that somebody reads on and on: after the last record of yesterday come those of today, none left out. */
export interface FollowedList {
  path: string
  cursor: string | null
  seen: Set<string>
  isBusy: boolean
}

/** Somebody who reads an account's notifications on and on. */
export interface FollowedFeed {
  /** It reads of each event as well, whether there are notifications of that or not. */
  isOfEvents: boolean
  cursor: string | null
  /** What came, in its order. */
  seen: Told[]
  isBusy: boolean
}

export interface Told {
  id: string
  type: string
  sequence: number
  /** The event that was recorded, by its id. */
  event: string | null
  /** Of a claim or candidate, its address. */
  address: string | null
  record: JsonObject
}

/** Where an account's notifications are sent, and what came there. */
export interface Hook {
  url: string
  /** Of its endpoint; empty as long as there is none. */
  id: string
  secret: string
  /** By their numbers. */
  came: Map<number, Came>
  /** What the service has said that it sends: the hash by the number. */
  promised: Map<number, string>
}

export interface Came {
  told: JsonObject
  hash: string
  previousHash: string
  /** When it was answered 200; null if it never was. */
  takenAt: number | null
}

/** When something was asked for, and answered. */
export interface Span {
  sentAt: number
  answeredAt: number
}

/** An API token with what was done to it. */
export interface TokenRecord {
  id: string
  secret: string
  /** Null: it does not end by itself. */
  expiresAt: number | null
  /** Null: nobody tried. */
  revocation: Span | null
  /** What it ends with. */
  session: { revocation: Span | null } | null
}

/** Somebody who signed up by an invitation, and signs in and out. */
export interface Person {
  email: string
  /** Null where nobody knows which of two it is. */
  password: string | null
  userId: string
  sessions: Session[]
  /** Somebody changes the password, or ends other sessions. */
  isBusy: boolean
  /** How often that was begun: a session that was opened meanwhile may have ended with others. */
  changes: number
}

export interface Session {
  cookie: string
  /** By which lists and revocations call it; null: nobody asked yet. */
  name: string | null
  /** 0: it goes on, 1: it has ended. */
  end: Rising
  /** Made in it; they end with it where it is revoked, but not where its owner signs out. */
  tokens: TokenRecord[]
  revocation: Span | null
  /** How often it was asked to end, in whatever way. */
  endings: number
}

export interface Invitation {
  id: string
  key: string
  /** Null: for anyone. */
  email: string | null
  account: Account
  /** 0: it can be used, 1: it cannot. */
  end: Rising
  /** Null: it was not withdrawn; else when that was asked for and answered. */
  withdrawal: Span | null
  /** How often that was asked for; the later one may come first. */
  withdrawals: number
  /** Sign-ups of which nobody knows, and that succeeded. */
  unknown: number
  used: number
}
