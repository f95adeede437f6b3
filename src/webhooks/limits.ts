import { DAY_MS } from '../kernel/durations.ts'

/**
 * Milliseconds between polls for endpoints with due deliveries. A delivery waits at most this long before its first
 * attempt.
 */
export const ENDPOINT_POLL_INTERVAL_MS = 100
/** Factor. A poll is followed by a pause of this multiple of its time: polling uses at most a tenth of the time. */
export const POLL_PAUSE_FACTOR = 9
/** Milliseconds. Longest pause: one slow poll must not delay all webhooks for long. */
export const MAX_POLL_PAUSE_MS = 1_000
/**
 * Milliseconds. Pause after a failed poll, and before an endpoint is tried again whose run failed; doubles for
 * repeated failures of a run.
 */
export const FAILURE_PAUSE_MS = 1_000
/** Milliseconds. Longest pause of an endpoint whose runs fail. */
export const MAX_FAILURE_PAUSE_MS = 60_000
/** Endpoints that one server sends to at once. */
export const MAX_RUNS = 64
/** Failing endpoints among them: slow timeouts must not take all runs. */
export const MAX_FAILING_RUNS = MAX_RUNS / 2
/** Endpoints of one account among them. */
export const MAX_RUNS_PER_ACCOUNT = MAX_RUNS / 4
/** Milliseconds. A run lasts at least this long before it ends for a waiting endpoint. */
export const MIN_RUN_MS = 2_000
/** Runs that start after one poll: other servers get the other endpoints. */
export const MAX_RUNS_STARTED_PER_POLL = 16
/** Milliseconds. At a stop, attempts in flight get this long. */
export const STOP_GRACE_MS = 800
/** Attempts in flight on one server. */
export const MAX_ATTEMPTS = 256
/** Attempts in flight of one account. */
export const MAX_ATTEMPTS_PER_ACCOUNT = 64
/** Attempts that begin in one interval while submissions wait: submissions have priority. */
export const MAX_BEGUN_BESIDE_SUBMISSIONS = 40
/** The same limit for one account. */
export const MAX_BEGUN_BESIDE_SUBMISSIONS_PER_ACCOUNT = 20
/** Milliseconds of that interval. Attempts that begin together are recorded together, which costs less. */
export const BEGIN_INTERVAL_MS = 400
/** Milliseconds. Submissions arrive in waves: this long after many waited, the next wave is expected. */
export const SUBMISSION_WAVE_MS = 100
/** Milliseconds. Longest pause of an endpoint after several failed attempts in a row. */
export const MAX_ENDPOINT_PAUSE_MS = 300_000
/** Milliseconds. Shortest such pause. */
export const MIN_ENDPOINT_PAUSE_MS = 1_000
/** Milliseconds. A longer Retry-After of a receiver counts as this. */
export const MAX_RETRY_AFTER_MS = DAY_MS
/** Newest attempts from which the health of an endpoint is computed. */
export const HEALTH_ATTEMPTS = 100
/** Waiting deliveries are counted up to this number. */
export const MAX_WAITING_COUNTED = 1_000
/**
 * Milliseconds from the start of the connection to the end of the response.
 * @public time of one attempt of a webhook
 */
export const ATTEMPT_TIMEOUT_MS = 15_000
/** Bytes of a response that are stored with the attempt. */
export const MAX_STORED_RESPONSE_BYTES = 1_024
/** Bytes of a response that are read so that its connection can be reused. */
export const MAX_READ_RESPONSE_BYTES = 64 * 1_024
/** Milliseconds until the next address of a host is tried. */
export const ADDRESS_TIMEOUT_MS = 2_000
/** Milliseconds until an idle connection is closed. */
export const IDLE_CONNECTION_TIMEOUT_MS = 10_000
/** Characters of an error that are stored with the attempt. */
export const MAX_STORED_ERROR_LENGTH = 300
/** Interim responses (1xx) that are skipped. Without a limit a receiver could send them forever. */
export const MAX_INTERIM_RESPONSES = 100
/** Bytes of a response head that are kept for error messages: more than the 16 KiB that Node allows for a head. */
export const MAX_RECORDED_HEAD_BYTES = 20 * 1_024
/** Newest attempts in the representation of a delivery. */
export const ATTEMPTS_SHOWN = 20
/** Deliveries that one statement marks for redelivery. */
export const REDELIVERY_BATCH_SIZE = 1_000
/** Due deliveries that one statement reads. */
export const DUE_BATCH_SIZE = 100
/** Bytes of bodies that one statement reads, except if the first body alone has more. */
export const DUE_BATCH_BYTES = 256 * 1_024
/** Deliveries that one statement removes. */
export const REMOVAL_BATCH_SIZE = 1_000
/** Queries to each name server. */
export const DNS_ATTEMPTS = 2
/** Milliseconds for each query. */
export const DNS_TIMEOUT_MS = 2_000
/** Milliseconds between retries when the database does not accept the results of attempts. */
export const RECORD_RETRY_INTERVAL_MS = 500
/** Milliseconds for all these retries. Then the attempts are made again later. */
export const RECORD_TIMEOUT_MS = 60_000
/** @public webhook endpoints of an account, else 422; endpoints that are created at the same moment may exceed it */
export const MAX_ENDPOINTS_PER_ACCOUNT = 50
/** Milliseconds for which the previous secret of an endpoint also signs after a rotation. */
export const OLD_SECRET_VALIDITY_MS = DAY_MS
/** Attempts to append a test delivery while other deliveries are appended. */
export const MAX_TEST_ATTEMPTS = 20
/** Characters of a URL. */
export const MAX_URL_LENGTH = 2_048
/** Attempts in flight to one endpoint at the start of a run. Each success adds one, each failure halves. */
export const INITIAL_CONCURRENCY = 4
/** The same for a failing endpoint. */
export const MIN_CONCURRENCY = 1
/** Largest number of attempts in flight to one endpoint. */
export const MAX_CONCURRENCY = 32
/** Failures in a row after which an endpoint is paused. */
export const MAX_FAILURES_IN_A_ROW = 5
/**
 * Milliseconds without success after which an endpoint is disabled.
 * @public a webhook endpoint is disabled after failing for
 */
export const MAX_FAILING_MS = 5 * DAY_MS
/** Milliseconds. A server leases an endpoint for this long: no other server sends to it. */
export const LEASE_MS = 30_000
/** Milliseconds between renewals. A renewal also reads changed settings. */
export const LEASE_RENEWAL_INTERVAL_MS = 2_000
/**
 * Milliseconds after a renewal in which attempts begin: an attempt must end before another server can lease the
 * endpoint.
 */
export const LEASE_START_MARGIN_MS = LEASE_MS - ATTEMPT_TIMEOUT_MS - 1_000
/** Deliveries. A run reads more when fewer are queued, */
export const MIN_QUEUED_DELIVERIES = 16
/** and their bodies have fewer characters than this. */
export const MAX_QUEUED_CHARACTERS = 256 * 1_024
/** Milliseconds until a run reads again after it found nothing. */
export const DELIVERY_POLL_INTERVAL_MS = 100
/** Characters at the start of a body that are searched for the type of the notification. */
export const TYPE_SEARCH_LENGTH = 200
/** Waiting submissions. From this number on, webhooks yield to submissions. */
export const MANY_WAITING_SUBMISSIONS = 16
/** Milliseconds that a run yields at a time. */
export const MAX_YIELD_MS = 50
/** Notifications from which one statement makes deliveries. */
export const NOTIFICATION_BATCH_SIZE = 100
/** Characters of their bodies, except for the last: all endpoints may do so at once. */
export const DELIVERY_BATCH_CHARACTERS = 256 * 1_024
/** Deliveries are found by time even if the clock was set back by less than this. A PostgreSQL interval. */
export const MAX_CLOCK_SETBACK = '1 hour'
