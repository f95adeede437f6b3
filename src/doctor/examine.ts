import { lastMigration } from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import type { OpenDatabase } from '../platform/database/open-database.ts'
import { SERVICE_ACCOUNT } from '../platform/database/pool/pooled-connection.ts'
import { checkCalendars } from './check-calendars.ts'
import { checkClaims, checkDecisions, checkWaiting } from './check-claims.ts'
import { checkServer, type ServerToCheck } from './check-server.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { type Finding, warning } from './finding.ts'

export interface Examination {
  /** Examines every claim and delivery, otherwise a sample. */
  all: boolean
  webhookKey: string | null
  advance: (claims: number, total: number) => void
}

/** Examines a database in use: its server, overdue work and its content. */
export async function examineDatabase(
  database: OpenDatabase,
  settings: ServerToCheck,
  examination: Examination,
): Promise<Finding[]> {
  const db = database.db.reads.for(SERVICE_ACCOUNT)
  const server = await checkServer(db, settings)
  // The statements below work only on tables of this version.
  if ((await lastMigration(db)) !== CODE_VERSION) {
    const advice = 'Examine it with the version of Claimkeeper that migrated it, or migrate it.'
    return [...server, warning('Claims', 'not examined: the tables are of another version', advice)]
  }
  const decisions = await checkDecisions(database.db.checks)
  return [
    ...server,
    decisions,
    ...(await checkWaiting(db)),
    ...(await examineContents(database, examination)),
  ]
}

/** Examines the content: claims and logs, and chains of deliveries. */
export async function examineContents(
  { db }: OpenDatabase,
  { all, webhookKey, advance }: Examination,
): Promise<Finding[]> {
  const reads = db.reads.for(SERVICE_ACCOUNT)
  const webhooks = await checkWebhooks(db, reads, { all, webhookKey })
  return [...webhooks, await checkCalendars(reads), await checkClaims(reads, { all, advance })]
}
