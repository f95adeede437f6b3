import type { Connection } from '../database/connection.ts'
import { candidateId } from './candidate-id.ts'

/** Whose candidates these aliases name, by alias; those that name none are not there. */
export async function findAliasOwners(
  db: Connection,
  aliases: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ candidate_alias: string; user_id: string }>({
    name: 'find_alias_owners',
    text: `-- find_alias_owners
      SELECT candidate_alias, user_id FROM claims WHERE id = ANY($1::uuid[])`,
    values: [aliases.map(candidateId)],
    readOnly: true,
  })
  return new Map(rows.map((row) => [row.candidate_alias, row.user_id]))
}
