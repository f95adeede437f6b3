import type { Invitation, Person, Session } from './records.ts'

/** Hashing a password takes a third of a second of CPU, and a server hashes one at a time. */
export const HASHING_TIMEOUT_FACTOR = 4

const MAX_PEOPLE = 4
const MAX_INVITATIONS = 6
const MAX_SESSIONS = 6

/** The latest people. Earlier ones are removed, so that memory is bounded. */
export class People {
  readonly all: Person[] = []
  readonly invitations: Invitation[] = []
  /** Accounts that were created or may have been. */
  signedUp = 0
  unknown = 0
  readonly #last = new Map<string, number>()

  /** Rate limit: a server accepts about 20 password attempts per minute from one address. */
  isDue(what: string, everyMs: number, now: number): boolean {
    if (now - (this.#last.get(what) ?? -Infinity) < everyMs) return false
    this.#last.set(what, now)
    return true
  }

  add(person: Person): void {
    this.all.push(person)
    this.signedUp++
    if (this.all.length > MAX_PEOPLE) this.all.shift()
  }

  invite(invitation: Invitation): void {
    this.invitations.push(invitation)
    if (this.invitations.length > MAX_INVITATIONS) this.invitations.shift()
  }
}

export function addSession(person: Person, session: Session): void {
  person.sessions.push(session)
  if (person.sessions.length > MAX_SESSIONS) person.sessions.shift()
}
