import type { FastifyBaseLogger } from 'fastify'
import { whyTooFewConnections } from '../app/doctor/check-connections.ts'
import type { Config } from '../config.ts'
import type { Database } from '../storage/database/database.ts'

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
