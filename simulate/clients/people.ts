import type { Invitation, Person, Session } from './records.ts'

/** Hashing a password takes a third of a second of CPU, and a server hashes one at a time. */
export const HASHING_SLOWNESS = 4

const MOST_PEOPLE = 4
const MOST_INVITATIONS = 6
const MOST_SESSIONS = 6

/** The known people. Earlier ones are forgotten, so that long runs do not grow. */
export class People {
  readonly all: Person[] = []
  readonly invitations: Invitation[] = []
  /** Accounts that were created or may have been. */
  signedUp = 0
  unknown = 0
  readonly #last = new Map<string, number>()

  /** Limits the rate: a server accepts about 20 password attempts a minute from one address. */
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
