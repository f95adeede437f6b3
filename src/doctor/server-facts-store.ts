import type { Connection } from '../platform/database/connection.ts'

/** What a server of PostgreSQL says of itself. */
export interface ServerFacts {
  version: string
  /** As 180004. */
  versionNumber: number
  encoding: string
}

export async function readServerFacts(db: Connection): Promise<ServerFacts> {
  const [facts] = await db.query<ServerFacts>({
    text: `-- read_server_facts
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS "versionNumber",
        current_setting('server_encoding') AS encoding`,
    readOnly: true,
  })
  return facts as ServerFacts
}

/** Whether the server is a standby, which accepts no writes. */
export async function isStandby(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>({ text: 'SELECT pg_is_in_recovery() AS is', readOnly: true })
  return row?.is === true
}
