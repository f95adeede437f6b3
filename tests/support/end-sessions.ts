import pg from 'pg'
import { databaseNameOf, nodesOfRun } from './database-nodes.ts'

/** Ends all sessions of a database and waits for their end. Autovacuum workers stay: only a superuser may end them. */
export async function endSessions(databaseUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: nodesOfRun()[0] ?? '' })
  await admin.connect()
  try {
    // Signals all sessions before it waits. With its own timeout, pg_terminate_backend would wait for each session in turn.
    for (const end of ['pg_terminate_backend(pid)', 'pg_terminate_backend(pid, 5000)']) {
      await admin.query(
        `SELECT ${end} FROM pg_stat_activity
         WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        [databaseNameOf(databaseUrl)],
      )
    }
  } finally {
    await admin.end()
  }
}
