/** What is measured, and how it reads: from here come the instruments (`metrics.ts`) and the page docs/metrics.md. */
interface Described {
  type: 'counter' | 'gauge' | 'histogram'
  name: string
  help: string
  labels?: readonly string[]
  /** Upper bounds, of a histogram. */
  buckets?: readonly number[]
}

/** From a millisecond to ten seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LONG_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1_800]

/** No label names an account, a claim or an endpoint: there would be as many series. */
export const CATALOGUE = {
  requestSeconds: {
    type: 'histogram',
    name: 'claimkeeper_http_request_duration_seconds',
    help: 'Time from the headers of a request to the beginning of its answer, by operationId of the API (`other` for pages and unknown paths) and status. Streams are not in it.',
    labels: ['operation', 'status'],
    buckets: SECONDS,
  },
  connections: {
    type: 'gauge',
    name: 'claimkeeper_http_connections',
    help: 'Open connections of callers.',
  },
  notificationReaders: {
    type: 'gauge',
    name: 'claimkeeper_notification_readers',
    help: 'Requests and streams that wait for the next notification.',
  },
  submissions: {
    type: 'counter',
    name: 'claimkeeper_submissions_total',
    help: 'Submitted events by what came of them: `recorded`, `repeated` (the same event was there), or the code of the error.',
    labels: ['outcome'],
  },
  submissionSeconds: {
    type: 'histogram',
    name: 'claimkeeper_submission_duration_seconds',
    help: 'Time from the arrival of an event to what came of it.',
    buckets: SECONDS,
  },
  submissionWaitSeconds: {
    type: 'histogram',
    name: 'claimkeeper_submission_wait_seconds',
    help: 'Time that an event waited for a group to go with, each time it goes.',
    buckets: SECONDS,
  },
  groupSize: {
    type: 'histogram',
    name: 'claimkeeper_submission_group_size',
    help: 'Events that went to the database together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024],
  },
  submissionsWaiting: {
    type: 'gauge',
    name: 'claimkeeper_submissions_waiting',
    help: 'Events that wait for their turn, or are on their way to the database.',
  },
  transitions: {
    type: 'counter',
    name: 'claimkeeper_transitions_total',
    help: 'Changes of status by what made them (`event`, `check`, `test_clock`) and the status that they led to.',
    labels: ['by', 'to'],
  },
  reminders: {
    type: 'counter',
    name: 'claimkeeper_reminders_total',
    help: 'Reminders that were sent, by what found them (`check`, `test_clock`).',
    labels: ['by'],
  },
  checks: {
    type: 'counter',
    name: 'claimkeeper_checks_total',
    help: 'Scheduled checks by result: `done` or `failed`. Also those that move nothing.',
    labels: ['result'],
  },
  checkSeconds: {
    type: 'histogram',
    name: 'claimkeeper_check_duration_seconds',
    help: 'Duration of scheduled checks that were done.',
    buckets: LONG_SECONDS,
  },
  checkDoneAt: {
    type: 'gauge',
    name: 'claimkeeper_check_last_done_timestamp_seconds',
    help: 'When this server ended its last scheduled check, in seconds since 1970; absent before the first.',
  },
  checkLagSeconds: {
    type: 'gauge',
    name: 'claimkeeper_check_lag_seconds',
    help: 'How long after its minute the last scheduled check was done.',
  },
  overdueSeconds: {
    type: 'gauge',
    name: 'claimkeeper_oldest_overdue_claim_seconds',
    help: 'For how long the window of the claim that waits longest for a scheduled check has been over; up to a minute is normal, 0 if none waits; while a check is on, the most that it can be.',
  },
  notificationLagSeconds: {
    type: 'gauge',
    name: 'claimkeeper_notification_lag_seconds',
    help: 'Age of the oldest transaction that holds back the feed; 0 if none does.',
  },
  webhookAttempts: {
    type: 'counter',
    name: 'claimkeeper_webhook_attempts_total',
    help: 'Attempts of deliveries by result: `succeeded`, `refused` (another status than 2xx) or `unanswered`.',
    labels: ['result'],
  },
  webhookAttemptSeconds: {
    type: 'histogram',
    name: 'claimkeeper_webhook_attempt_duration_seconds',
    help: 'Duration of attempts of deliveries.',
    buckets: [...SECONDS, 15],
  },
  webhookOldestDueSeconds: {
    type: 'gauge',
    name: 'claimkeeper_webhook_oldest_due_seconds',
    help: 'For how long the delivery that waits longest has been due, of endpoints to which is being sent; 0 if none is.',
  },
  webhookDelaySeconds: {
    type: 'histogram',
    name: 'claimkeeper_webhook_delay_seconds',
    help: 'Age of a notification when its delivery to an endpoint is made; the first attempt follows at once. An endpoint that was disabled or fails comes to it later.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3_600, 86_400],
  },
  webhookEndpoints: {
    type: 'gauge',
    name: 'claimkeeper_webhook_endpoints',
    help: 'Endpoints to which this server sends just now (`sending`), and those that have something to be sent and wait for their turn (`waiting`).',
    labels: ['state'],
  },
  poolConnections: {
    type: 'gauge',
    name: 'claimkeeper_pool_connections',
    help: 'Connections to the database by the kind of work they are kept for, and state: `used` or `idle`.',
    labels: ['pool', 'state'],
  },
  poolSize: {
    type: 'gauge',
    name: 'claimkeeper_pool_size',
    help: 'Connections to the database that a kind of work may have at most.',
    labels: ['pool'],
  },
  poolWaiting: {
    type: 'gauge',
    name: 'claimkeeper_pool_waiting',
    help: 'Statements and transactions that wait for a connection.',
    labels: ['pool'],
  },
  poolWaitSeconds: {
    type: 'histogram',
    name: 'claimkeeper_pool_wait_seconds',
    help: 'Time that was waited for a connection.',
    labels: ['pool'],
    buckets: SECONDS,
  },
  archivedClaims: {
    type: 'counter',
    name: 'claimkeeper_archived_claims_total',
    help: 'Claims and candidates that have left for the archive.',
  },
  archiveRuns: {
    type: 'counter',
    name: 'claimkeeper_archive_runs_total',
    help: 'Runs of the job that archives claims, by result: `done` or `failed`. Those that find nothing count; none if nothing is archived by setting.',
    labels: ['result'],
  },
  archiveDoneAt: {
    type: 'gauge',
    name: 'claimkeeper_archive_last_done_timestamp_seconds',
    help: 'When the last run of this server that archives claims was done, in seconds since 1970; absent before the first.',
  },
  databaseUp: {
    type: 'gauge',
    name: 'claimkeeper_database_up',
    help: 'Whether the database answered the last time it was asked: 1 or 0.',
  },
  databaseRoundTripSeconds: {
    type: 'gauge',
    name: 'claimkeeper_database_round_trip_seconds',
    help: 'How long the database took to answer the smallest question, the last time it was asked.',
  },
  migration: {
    type: 'gauge',
    name: 'claimkeeper_migration_version',
    help: 'The last migration that the database has.',
  },
  codeMigration: {
    type: 'gauge',
    name: 'claimkeeper_migration_version_of_code',
    help: 'The last migration that this server knows. If the database has later ones, it says of them that they work with this server.',
  },
  migrationsInBackground: {
    type: 'gauge',
    name: 'claimkeeper_migrations_in_background',
    help: 'Migrations that run in the background and are not done.',
  },
  migrationProgress: {
    type: 'gauge',
    name: 'claimkeeper_migration_progress_ratio',
    help: 'How far the first of them has come, from 0 to 1; 1 if none is left.',
  },
  eventLoopSeconds: {
    type: 'gauge',
    name: 'claimkeeper_event_loop_delay_seconds',
    help: 'By how much timers were late in the last ten seconds: quantiles 0.5, 0.99 and 1.',
    labels: ['quantile'],
  },
  memoryBytes: {
    type: 'gauge',
    name: 'claimkeeper_process_memory_bytes',
    help: 'Memory of the process: `resident`, and of that `heap` (used by JavaScript) and `external` (buffers).',
    labels: ['kind'],
  },
  cpuSeconds: {
    type: 'counter',
    name: 'claimkeeper_process_cpu_seconds_total',
    help: 'Time of processors that the process has used.',
  },
  build: {
    type: 'gauge',
    name: 'claimkeeper_build_info',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node'],
  },
} as const satisfies Record<string, Described>

export type MetricKey = keyof typeof CATALOGUE
