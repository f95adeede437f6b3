import { type Client, parse } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { demand } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'

/** §4.9, without pages and secrets: each token once, with what became of it. */
export async function listTokens(client: Client, account: Account): Promise<void> {
  client.world.count('list tokens')
  const { cookie } = account
  const before = [...account.tokens]
  const reply = await client.send(account, { method: 'GET', path: '/v1/tokens', cookie })
  if (reply.is !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const about = () => ({ rows })
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  demand(byId.size === rows.length, () => 'the list of tokens shows one twice', about)
  for (const { id, revocation } of before) {
    const row = byId.get(id)
    demand(row !== undefined, () => `the token ${id} is missing in the list`, about)
    const isOver = revocation !== null && revocation.answeredAt < reply.sentAt
    const fits = row.revoked_at === null ? !isOver : revocation !== null
    demand(fits, () => `the token ${id} is listed as revoked at ${row.revoked_at}`, about)
  }
}
