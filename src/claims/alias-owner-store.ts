import type { Connection } from '../platform/database/connection.ts'
import { candidateId } from './candidate-id.ts'

/** Whose candidates these aliases name, archived ones as well, by alias; those that name none are not there. */
export async function findAliasOwners(
  db: Connection,
  aliases: readonly string[],
): Promise<Map<string, string>> {
  const aliasOf = new Map(aliases.map((alias) => [candidateId(alias), alias]))
  const rows = await db.query<{ id: string; user_id: string }>({
    name: 'find_alias_owners',
    text: `-- find_alias_owners
      SELECT id, user_id FROM claims WHERE id = ANY($1::uuid[])
      UNION ALL SELECT id, user_id FROM archived_claims WHERE id = ANY($1::uuid[])`,
    values: [[...aliasOf.keys()]],
    readOnly: true,
  })
  return new Map(rows.map(({ id, user_id: userId }) => [aliasOf.get(id) as string, userId]))
}
