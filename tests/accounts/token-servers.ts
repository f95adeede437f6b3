import { eventually } from '../support/eventually.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { uniqueName } from '../support/new-records.ts'
import { createToken, createUser, hashToken, TokenOwners } from '../support/source/accounts.ts'
import { Database } from '../support/source/database.ts'
import type { Scope } from '../support/test-database.ts'
import type { TestService } from '../support/test-service.ts'

export interface TokenServer {
  find: (token: string) => Promise<string | null>
  /** How often the database was asked for a token. */
  lookUps: () => number
  proxy: FaultProxy
}

/** What a server knows of tokens, on connections of its own, whose questions are counted. */
export async function startTokenServer(t: Scope, databaseUrl: string): Promise<TokenServer> {
  const proxy = await startFaultProxy(t, databaseUrl)
  const db = new Database({ connectionString: proxy.url, poolSize: 5 })
  const owners = new TokenOwners(db)
  let lookUps = 0
  proxy.onStatement((statement) => {
    if (statement === 'find_token_owner') lookUps++
  })
  await owners.start()
  t.after(async () => {
    await owners.stop()
    await db.close()
  })
  return { find: (token) => owners.find(hashToken(token), 'here'), lookUps: () => lookUps, proxy }
}

/** A token of a new account. */
export async function newOwnedToken(
  { app, sql }: Pick<TestService, 'app' | 'sql'>,
  expiresAt: Date | null = null,
): Promise<{ token: string; id: string; owner: string }> {
  const { email } = await createUser(app, `${uniqueName()}@example.com`)
  const token = await createToken(app, { email, name: 'test', expiresAt })
  const [row] = await sql('SELECT id, user_id FROM api_tokens WHERE token_hash = $1', [hashToken(token)])
  return { token, id: String(row?.id), owner: String(row?.user_id) }
}

/** Resolves once the server answers for the token without asking the database. */
export async function remembers({ find, lookUps }: TokenServer, token: string): Promise<void> {
  await eventually(async () => {
    const before = lookUps()
    await find(token)
    return lookUps() === before
  })
}
