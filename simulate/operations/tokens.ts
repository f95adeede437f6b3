import { createHash, randomBytes } from 'node:crypto'
import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account } from '../clients/world.ts'
import { demand, Finding } from '../model/finding.ts'
import type { Stage } from '../stage.ts'

/** An API token with what was done to it. */
export interface TokenRecord {
  id: string
  secret: string
  /** Null: nobody tried. */
  revocation: { sentAt: number; answeredAt: number } | null
}

/** Somebody who is signed in to the account: tokens make no tokens, and revoke none. */
export async function signIn(client: Client, stage: Stage, account: Account): Promise<void> {
  const key = randomBytes(32).toString('base64url')
  await stage.sql(
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
  if (reply.is !== 'answer' || reply.status !== 200) throw new Finding('signing up failed', reply)
  const cookies = reply.headers['set-cookie'] ?? []
  account.cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

export async function createToken(client: Client, account: Account): Promise<void> {
  client.world.count('create token')
  const { cookie } = account
  const body = JSON.stringify({ name: client.world.nextName('token') })
  const reply = await client.send(account, { method: 'POST', path: '/v1/tokens', body, cookie })
  if (reply.is !== 'answer' || reply.status >= 500) return
  demand(
    reply.status === 201,
    () => `a token's creation was answered ${reply.status}`,
    () => reply,
  )
  const { id, token } = parse(reply.text)
  account.tokens.push({ id: id as string, secret: token as string, revocation: null })
}

export async function revokeToken(client: Client, account: Account): Promise<void> {
  const token = account.tokens.find(({ revocation }) => revocation === null)
  if (!token || account.tokens.length < 3) return createToken(client, account)
  client.world.count('revoke token')
  const revocation = { sentAt: 0, answeredAt: Infinity }
  token.revocation = revocation
  const { cookie } = account
  const reply = await client.send(account, { method: 'DELETE', path: `/v1/tokens/${token.id}`, cookie })
  revocation.sentAt = reply.sentAt
  const outcome = outcomeOf(reply)
  if (outcome === 'done') revocation.answeredAt = reply.answeredAt
  // At once on every server: so also on those that knew it a moment ago.
  await Promise.all([1, 2, 3].map(() => useToken(client, account, token)))
}

/** §5 rule 3: good until its revocation was sent, and never again once that was answered. */
export async function useToken(client: Client, account: Account, token: TokenRecord): Promise<void> {
  client.world.count('use token')
  const used = { ...account, token: token.secret }
  const reply = await client.send(used, { method: 'GET', path: '/v1/me' }, { mayBeRefused: true })
  if (reply.is !== 'answer' || reply.status >= 500) return
  const { revocation } = token
  const about = () => ({ token: { ...token, secret: '' }, reply })
  const isOver = revocation !== null && revocation.answeredAt < reply.sentAt
  if (isOver) demand(reply.status === 401, () => `a revoked token was answered ${reply.status}`, about)
  else if (reply.status === 401) demand(revocation !== null, () => 'a good token was answered 401', about)
  else demand(parse(reply.text).id === account.userId, () => 'a token gives access to another account', about)
}

export async function useAnyToken(client: Client, account: Account): Promise<void> {
  const { tokens } = account
  if (tokens.length > 0) await useToken(client, account, client.random.pick(tokens.slice(-6)))
}
