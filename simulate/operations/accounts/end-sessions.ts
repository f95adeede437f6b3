import { type Client, outcomeOf } from '../../clients/client.ts'
import { cookieOf, now, type Reply } from '../../clients/http-connection.ts'
import { addSession, HASHING_TIMEOUT_FACTOR } from '../../clients/people.ts'
import type { Person, Session, Span } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import { newSession, useSession } from './sessions.ts'
import { useToken } from './tokens.ts'

const CHANGE_INTERVAL_MS = 15_000

/** Ends this session, but no token that it created. */
export async function signOut(client: Client, person: Person, session: Session): Promise<void> {
  client.world.count('sign out')
  session.endings++
  const { done } = session.end.write(1)
  const reply = await ask(client, session, 'sign-out', {})
  if (outcomeOf(reply) !== 'done') return
  done()
  // Takes effect on every server at once, also on servers that used the session a moment ago.
  for (let i = 0; i < 3; i++) await useSession(client, person, session)
}

/** Revokes another session of the account with its tokens. */
export async function revokeSession(
  client: Client,
  person: Person,
  session: Session,
  other: Session,
): Promise<void> {
  if (other.name === null || other === session) return
  client.world.count('revoke session')
  await revokeSessions(client, person, [other], () =>
    ask(client, session, 'revoke-session', { token: other.name }),
  )
}

export async function revokeOthers(client: Client, person: Person, session: Session): Promise<void> {
  if (person.isBusy) return
  client.world.count('revoke other sessions')
  begin(person)
  const others = person.sessions.filter((other) => other !== session)
  await revokeSessions(client, person, others, () => ask(client, session, 'revoke-other-sessions', {}))
  person.isBusy = false
}

/** All sessions end except a new one, which the response opens. Their tokens stay valid. */
export async function changePassword(client: Client, person: Person, session: Session): Promise<void> {
  const { world } = client
  const { password, isBusy } = person
  if (isBusy || password === null || !world.people.isDue('change password', CHANGE_INTERVAL_MS, now())) return
  world.count('change password')
  begin(person)
  const newPassword = world.nextName('pass word')
  const ends = person.sessions.map(({ end }) => end.write(1))
  for (const session of person.sessions) session.endings++
  const reply = await ask(client, session, 'change-password', { currentPassword: password, newPassword })
  const isUnknown = outcomeOf(reply) === 'unknown' || (reply.kind === 'answer' && reply.status >= 500)
  person.password = isUnknown ? null : password
  if (reply.kind === 'answer' && reply.status === 200) {
    for (const { done } of ends) done()
    person.password = newPassword
    addSession(person, newSession(person.email, cookieOf(reply)))
  }
  person.isBusy = false
}

function begin(person: Person): void {
  person.isBusy = true
  person.changes++
}

/** Revokes sessions with their tokens. */
async function revokeSessions(
  client: Client,
  person: Person,
  sessions: readonly Session[],
  send: () => Promise<Reply>,
): Promise<void> {
  const ends = sessions.map(({ end }) => end.write(1))
  const span: Span = { sentAt: now(), answeredAt: Infinity }
  for (const session of sessions) {
    session.endings++
    session.revocation ??= span
  }
  const reply = await send()
  if (outcomeOf(reply) !== 'done') return
  for (const { done } of ends) done()
  // A session that has ended cannot be revoked, and its tokens stay valid.
  for (const session of sessions) {
    if (session.endings === 1) session.revocation = { ...span, answeredAt: reply.answeredAt }
  }
  // Takes effect on every server at once, also on servers that used the session a moment ago.
  const tokens = sessions.flatMap((session) => session.tokens)
  for (const token of tokens.slice(-3)) await useToken(client, person.userId, token)
}

async function ask(client: Client, session: Session, what: string, fields: object): Promise<Reply> {
  const observe = session.end.read()
  const body = JSON.stringify(fields)
  const timeoutFactor = what === 'change-password' ? HASHING_TIMEOUT_FACTOR : 1
  const request = { method: 'POST', path: `/api/auth/${what}`, body, cookie: session.cookie, timeoutFactor }
  const reply = await client.send(null, request, { mayBeRefused: true })
  if (reply.kind !== 'answer' || reply.status >= 500 || reply.status === 429) return reply
  // Without a session the sign-out succeeds too.
  if (what === 'sign-out' && reply.status === 200) return reply
  const isExpected = reply.status === 200 || reply.status === 401
  assert(
    isExpected,
    () => `${what} was answered ${reply.status}`,
    () => reply,
  )
  observe(reply.status === 401 ? 1 : 0)
  return reply
}
