import { type Client, parse } from '../../clients/client.ts'
import { cookieOf, now } from '../../clients/http-connection.ts'
import { addSession, HASHING_TIMEOUT_FACTOR } from '../../clients/people.ts'
import type { Person, Session } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { MonotonicRegister } from '../../model/monotonic-register.ts'
import { makeToken, useToken } from './tokens.ts'

/** Milliseconds between attempts, below the limit of attempts from one address. */
const INTERVAL_MS = 6_000
const MAX_TOKENS = 4

export const newSession = (email: string, cookie: string): Session => ({
  cookie,
  name: null,
  end: new MonotonicRegister(`the end of a session of ${email}`, 0),
  tokens: [],
  revocation: null,
  endings: 0,
})

/** Signs in with the password, or sometimes with a wrong one. */
export async function signInAgain(client: Client, person: Person): Promise<void> {
  const { random, world } = client
  const { email, password, isBusy, changes } = person
  if (password === null || isBusy || !world.people.isDue('sign in', INTERVAL_MS, now())) return
  world.count('sign in')
  const isWrong = random.chance(0.2)
  const body = JSON.stringify({ email, password: isWrong ? `${password}!` : password })
  const request = {
    method: 'POST',
    path: '/api/auth/sign-in/email',
    body,
    cookie: '',
    timeoutFactor: HASHING_TIMEOUT_FACTOR,
  }
  const reply = await client.send(null, request, { mayBeRefused: true })
  if (reply.kind !== 'answer' || reply.status >= 500 || reply.status === 429) return
  if (person.changes !== changes) return
  const expected = isWrong ? 401 : 200
  assert(
    reply.status === expected,
    () => `signing in as ${email} was answered ${reply.status}`,
    () => reply,
  )
  if (!isWrong) addSession(person, newSession(email, cookieOf(reply)))
}

/** Every server accepts the cookie until the session ends, and never again. */
export async function useSession(client: Client, person: Person, session: Session): Promise<void> {
  client.world.count('use session')
  const isAsked = client.random.chance(0.5)
  const path = isAsked ? '/api/auth/get-session' : '/v1/me'
  const observe = session.end.read()
  const reply = await client.send(
    null,
    { method: 'GET', path, cookie: session.cookie },
    { mayBeRefused: true },
  )
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const about = () => ({ person: person.email, reply })
  const isExpected = reply.status === 200 || (reply.status === 401 && !isAsked)
  assert(isExpected, () => `${path} was answered ${reply.status}`, about)
  const shown = reply.status === 200 ? (parse(reply.text) as JsonObject | null) : null
  observe(shown === null ? 1 : 0)
  if (shown === null) return
  const user = isAsked ? (shown.user as JsonObject) : shown
  assert(user.email === person.email, () => `${path} shows another person`, about)
  if (isAsked) session.name = (shown.session as JsonObject).token as string
}

/** The list contains the active sessions and no ended one. */
export async function listSessions(
  client: Client,
  { sessions, email }: Person,
  session: Session,
): Promise<void> {
  client.world.count('list sessions')
  const observe = session.end.read()
  const others = sessions.map((other) => ({ other, observe: other.end.read() }))
  const request = { method: 'GET', path: '/api/auth/list-sessions', cookie: session.cookie }
  const reply = await client.send(null, request, { mayBeRefused: true })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  observe(reply.status === 401 ? 1 : 0)
  if (reply.status === 401) return
  assert(
    reply.status === 200,
    () => `the sessions of ${email} were answered ${reply.status}`,
    () => reply,
  )
  const names = new Set((JSON.parse(reply.text) as JsonObject[]).map(({ token }) => token))
  for (const { other, observe } of others) if (other.name !== null) observe(names.has(other.name) ? 0 : 1)
}

/** Creates tokens in the session. */
export async function makeTokenIn(client: Client, session: Session): Promise<void> {
  if (session.end.lowerBound > 0 || session.tokens.length >= MAX_TOKENS) return
  const token = await makeToken(client, session.cookie, session)
  if (token) session.tokens.push(token)
}

export async function useTokenOf(client: Client, session: Session, userId: string): Promise<void> {
  if (session.tokens.length > 0) await useToken(client, userId, client.random.pick(session.tokens))
}
