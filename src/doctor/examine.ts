import { lastMigration } from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import type { OpenDatabase } from '../platform/database/open-database.ts'
import { SERVICE } from '../platform/database/pool/pooled-connection.ts'
import { checkClaims, checkDecisions, checkWaiting } from './check-claims.ts'
import { checkServer, type ServerToCheck } from './check-server.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { type Finding, warning } from './finding.ts'

export interface Examination {
  /** Every claim and delivery; otherwise a sample. */
  all: boolean
  webhookKey: string | null
  advance: (claims: number, ofAll: number) => void
}

/** A database in use: its server, what waits in it, and what it holds. */
export async function examineDatabase(
  database: OpenDatabase,
  settings: ServerToCheck,
  examination: Examination,
): Promise<Finding[]> {
  const db = database.db.reads.for(SERVICE)
  const server = await checkServer(db, settings)
  // What is to be looked at is asked in the words of this version.
  if ((await lastMigration(db)) !== CODE_VERSION) {
    const advice = 'Examine it with the version of Claimkeeper that it belongs to, or migrate it.'
    return [...server, warning('Claims', 'not looked at: the tables are of another version', advice)]
  }
  const decisions = await checkDecisions(database.db.checks)
  return [
    ...server,
    decisions,
    ...(await checkWaiting(db)),
    ...(await examineContents(database, examination)),
  ]
}

/** What it holds: claims and logs, chains of deliveries. */
export async function examineContents(
  { db }: OpenDatabase,
  { all, webhookKey, advance }: Examination,
): Promise<Finding[]> {
  const reads = db.reads.for(SERVICE)
  const webhooks = await checkWebhooks(db, reads, { all, webhookKey })
  return [...webhooks, await checkClaims(reads, { all, advance })]
}
