import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import { whyTooFewConnections } from '../doctor/check-connections.ts'
import type { Database } from '../platform/database/database.ts'

/** With too few connections a server starts, and some requests fail later. */
export async function warnOfConnections(
  db: Database,
  { databasePoolSize: poolSize }: Config,
  workers: number,
  log: FastifyBaseLogger,
): Promise<void> {
  const why = await whyTooFewConnections(db.checks, { poolSize, workers })
  if (why !== null) log.warn(why)
}
