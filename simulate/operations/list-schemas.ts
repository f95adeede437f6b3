import { type Client, parse } from '../clients/client.ts'
import type { Account } from '../clients/records.ts'
import { demand } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'

/** §4.4, without pages: each that is there, with a contract that is not older than what was answered before. */
export async function listSchemas(client: Client, account: Account): Promise<void> {
  client.world.count('list schemas')
  const gone = new Set(account.deletedSchemas)
  const before = account.schemas.map((schema) => ({ schema, saw: schema.versions.read() }))
  const reply = await client.send(account, { method: 'GET', path: '/v1/schemas' })
  if (reply.is !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const about = () => ({ before: before.map(({ schema }) => schema), rows })
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  demand(byId.size === rows.length, () => 'the list of schemas shows one twice', about)
  for (const { id, user_id } of rows) {
    demand(user_id === account.userId, () => 'the list of schemas shows one of another account', about)
    demand(!gone.has(id as string), () => `the schema ${id} was deleted, and is listed`, about)
  }
  for (const { schema, saw } of before) {
    const row = byId.get(schema.id)
    if (row) saw(Number((row.contract as JsonObject).price))
    else demand(schema.isDeleted, () => `the schema ${schema.id} is missing in the list`, about)
  }
}
