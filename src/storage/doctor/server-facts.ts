import type { Connection } from '../database/connection.ts'

/** What a server of PostgreSQL says of itself. */
export interface ServerFacts {
  version: string
  /** As 180004. */
  versionNumber: number
  /** For those who are no superusers. */
  maxConnections: number
  /** That others than Claimkeeper have. */
  otherConnections: number
}

export async function readServerFacts(db: Connection): Promise<ServerFacts> {
  const [facts] = await db.query<ServerFacts>({
    text: `-- read_server_facts
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS "versionNumber",
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          AS "maxConnections",
        (SELECT count(*)::integer FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND application_name NOT LIKE 'claimkeeper%') AS "otherConnections"`,
    readOnly: true,
  })
  return facts as ServerFacts
}
