import type { FastifyBaseLogger } from 'fastify'
import type { App } from '../app.ts'
import { archiveClaimsJob } from '../archive/archive-claims-job.ts'
import type { ArchiveSettings } from '../archive/claim-archive.ts'
import { scheduledCheckJob, sumUpResolutionsJob } from '../checks/check-jobs.ts'
import type { Config } from '../config/config.ts'
import { moveContractsJob } from '../contracts/move-contracts-job.ts'
import { migrateInBackgroundJob } from '../platform/database/migrate/run-background-migrations.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { retentionJobs } from '../retention/retention-jobs.ts'
import { measureDatabase } from './metrics/process-metrics.ts'

/**
 * The periodic jobs of the service. Every server runs the jobs (of several workers, one). A job that must not run twice at
 * once takes a lock in the database. A job is made in its feature's folder and listed here.
 * @param archive null if nothing is archived
 */
export const jobsOf = (
  app: App,
  { notificationDays }: Config,
  archive: ArchiveSettings | null,
  log: FastifyBaseLogger,
): Job[] => [
  scheduledCheckJob(app, (transitions, checkTime, durationMs) => {
    if (transitions > 0) log.info({ transitions, checkTime, durationMs }, 'scheduled check')
  }),
  moveContractsJob(app, (moves) => log.info(moves, 'moving contracts out of claims')),
  migrateInBackgroundJob(
    app.backgroundMigrations,
    (state) => log.info(state ?? { left: 0 }, 'migrating in the background'),
    (error) => log.error({ err: error }, 'migrating in the background failed'),
  ),
  ...retentionJobs(app, notificationDays, (what, removed) => log.info({ removed }, `${what} removed`)),
  ...(archive === null
    ? []
    : [archiveClaimsJob(app, archive, (claims) => log.info({ claims }, 'claims archived'))]),
  sumUpResolutionsJob(app),
  { name: 'measuring the database', every: 10, run: () => measureDatabase(app) },
]
