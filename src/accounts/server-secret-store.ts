import type { Connection } from '../platform/database/connection.ts'

/** The secret that all servers of the database share. Stores `candidate` if there is none yet. */
export async function getOrCreateSecret(db: Connection, name: string, candidate: string): Promise<string> {
  await db.query({
    text: `-- share_secret
      INSERT INTO server_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
    values: [name, candidate],
  })
  const [row] = await db.query<{ value: string }>({
    text: `-- read_secret
      SELECT value FROM server_secrets WHERE name = $1`,
    values: [name],
    readOnly: true,
  })
  if (!row) throw new Error(`the secret ${name} is missing after its insert`)
  return row.value
}
