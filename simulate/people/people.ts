import type { Account } from '../clients/world.ts'
import type { Rising } from '../model/rising.ts'
import type { Span, TokenRecord } from '../operations/tokens.ts'

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

/** Hashing a password takes a third of a second of a processor, and servers do so one at a time. */
export const HASHING_SLOWNESS = 4

const MOST_PEOPLE = 4
const MOST_INVITATIONS = 6
const MOST_SESSIONS = 6

/** Those who are known; earlier ones are forgotten, so that long runs do not grow. */
export class People {
  readonly all: Person[] = []
  readonly invitations: Invitation[] = []
  /** Accounts that were made, and that may have been. */
  signedUp = 0
  unknown = 0
  readonly #last = new Map<string, number>()

  /** At most so often; of attempts at passwords a server takes about 20 a minute from one address. */
  isDue(what: string, everyMs: number, now: number): boolean {
    if (now - (this.#last.get(what) ?? -Infinity) < everyMs) return false
    this.#last.set(what, now)
    return true
  }

  add(person: Person): void {
    this.all.push(person)
    this.signedUp++
    if (this.all.length > MOST_PEOPLE) this.all.shift()
  }

  invite(invitation: Invitation): void {
    this.invitations.push(invitation)
    if (this.invitations.length > MOST_INVITATIONS) this.invitations.shift()
  }
}

export function addSession(person: Person, session: Session): void {
  person.sessions.push(session)
  if (person.sessions.length > MOST_SESSIONS) person.sessions.shift()
}
