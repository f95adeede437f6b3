import { createHash, randomBytes } from 'node:crypto'
import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import { cookieOf, now } from '../../clients/http-connection.ts'
import type { Account, TokenRecord } from '../../clients/records.ts'
import { assert, Finding } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Testbed } from '../../testbed.ts'

/** Signs in to the account. Tokens cannot create or revoke tokens. */
export async function signIn(client: Client, testbed: Testbed, account: Account): Promise<void> {
  const key = randomBytes(32).toString('base64url')
  await testbed.sql(
    `INSERT INTO invitations (id, key_hash, claims_user_id, created_at, expires_at)
     VALUES (gen_random_uuid(), $1, $2, now(), now() + interval '1 day')`,
    [createHash('sha256').update(key).digest(), account.userId],
  )
  const email = `${account.userId}@example.com`
  const reply = await client.send(account, {
    method: 'POST',
    path: '/api/auth/sign-up/email',
    body: JSON.stringify({ email, name: account.name, password: key, invitation: key }),
    cookie: '',
  })
  if (reply.kind !== 'answer' || reply.status !== 200) throw new Finding('signing up failed', reply)
  account.cookie = cookieOf(reply)
}

export async function createToken(client: Client, account: Account): Promise<void> {
  const token = await makeToken(client, account.cookie)
  if (token) account.tokens.push(token)
}

/** Lifetimes of some tokens. */
const SHORT_MS = [2_000, 5_000, 20_000]

/** Created in a session. Null: outcome unknown, or the session has ended. */
export async function makeToken(
  client: Client,
  cookie: string,
  session: TokenRecord['session'] = null,
): Promise<TokenRecord | null> {
  const { random, world } = client
  world.count('create token')
  const expiresAt = random.chance(0.4) ? Math.round(now() + random.pick(SHORT_MS)) : null
  const body = JSON.stringify({
    name: world.nextName('token'),
    ...(expiresAt === null ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  })
  const request = { method: 'POST', path: '/v1/tokens', body, cookie }
  const reply = await client.send(null, request, { mayBeRefused: true })
  if (reply.kind !== 'answer' || reply.status >= 500 || reply.status === 401) return null
  // The expiry was over when the request was handled, or clocks are wrong.
  if (reply.status === 400 && expiresAt !== null && isOver(client, expiresAt, reply.answeredAt)) return null
  assert(
    reply.status === 201,
    () => `a token's creation was answered ${reply.status}`,
    () => reply,
  )
  const { id, token } = parse(reply.text)
  return { id: id as string, secret: token as string, expiresAt, revocation: null, session }
}

const CLOCK_TOLERANCE_MS = 1_000

const isOver = ({ world }: Client, at: number, moment: number) =>
  !world.clocksAreRight || at < moment + CLOCK_TOLERANCE_MS

export async function revokeToken(client: Client, account: Account): Promise<void> {
  const token = account.tokens.find(({ revocation, expiresAt }) => revocation === null && expiresAt === null)
  if (!token || account.tokens.length < 3) return createToken(client, account)
  client.world.count('revoke token')
  const revocation = { sentAt: 0, answeredAt: Infinity }
  token.revocation = revocation
  const { cookie } = account
  const reply = await client.send(account, { method: 'DELETE', path: `/v1/tokens/${token.id}`, cookie })
  revocation.sentAt = reply.sentAt
  const outcome = outcomeOf(reply)
  if (outcome === 'done') revocation.answeredAt = reply.answeredAt
  // Takes effect on every server at once, also on servers that used the token a moment ago.
  await Promise.all([1, 2, 3].map(() => useToken(client, account.userId, token)))
}

/** §5 rule 3: valid until its revocation was sent or its expiry, and never after. */
export async function useToken(client: Client, userId: string, token: TokenRecord): Promise<void> {
  client.world.count('use token')
  const request = { method: 'GET', path: '/v1/me' }
  const reply = await client.send({ token: token.secret }, request, { mayBeRefused: true })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const about = () => ({ token: { ...token, secret: '' }, reply })
  if (reply.status === 401) {
    assert(mayHaveEnded(client, token, reply.answeredAt), () => 'a good token was answered 401', about)
    return
  }
  const isGood = !hasEnded(client, token, reply.sentAt)
  assert(isGood, () => `a token that was revoked or has expired was answered ${reply.status}`, about)
  assert(parse(reply.text).id === userId, () => 'a token gives access to another account', about)
}

function hasEnded(
  { world }: Client,
  { revocation, session, expiresAt }: TokenRecord,
  sentAt: number,
): boolean {
  const isExpired = expiresAt !== null && world.clocksAreRight && expiresAt + CLOCK_TOLERANCE_MS < sentAt
  return isExpired || [revocation, session?.revocation].some((span) => span && span.answeredAt < sentAt)
}

function mayHaveEnded(client: Client, { revocation, session, expiresAt }: TokenRecord, answeredAt: number) {
  const isExpired = expiresAt !== null && isOver(client, expiresAt, answeredAt)
  return isExpired || revocation !== null || Boolean(session?.revocation)
}

export async function useAnyToken(client: Client, account: Account): Promise<void> {
  const { tokens, userId } = account
  if (tokens.length > 0) await useToken(client, userId, client.random.pick(tokens.slice(-6)))
}

/** §4.9, without pages and secrets: each token once, with its state. */
export async function listTokens(client: Client, account: Account): Promise<void> {
  client.world.count('list tokens')
  const { cookie } = account
  const before = [...account.tokens]
  const reply = await client.send(account, { method: 'GET', path: '/v1/tokens', cookie })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const about = () => ({ rows })
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  assert(byId.size === rows.length, () => 'the list of tokens shows a token twice', about)
  for (const { id, revocation } of before) {
    const row = byId.get(id)
    assert(row !== undefined, () => `the token ${id} is missing in the list`, about)
    const isOver = revocation !== null && revocation.answeredAt < reply.sentAt
    const matches = row.revoked_at === null ? !isOver : revocation !== null
    assert(matches, () => `the token ${id} is listed as revoked at ${row.revoked_at}`, about)
  }
}
