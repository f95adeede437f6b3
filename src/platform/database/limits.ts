/* Limits of the database: pool, migrations, embedded PostgreSQL. */

/** How often the migration lock is tried. Waiting in a statement would block indexes that are built in the background. */
export const MIGRATION_LOCK_RETRY_MS = 100

/** Connecting, or a statement that sets up a session, fails after this time. */
export const CONNECT_TIMEOUT_MS = 5_000
/** How long the start waits for a database that starts at the same time. */
export const START_TIMEOUT_MS = 30_000
/** The pause between two attempts to connect at the start. */
export const START_RETRY_MS = 500

/* Pools. */

/** Milliseconds a statement may run, where its pool says nothing else. The server cancels it. */
export const STATEMENT_TIMEOUT_MS = 30_000
/** Milliseconds without a response after the statement timeout. Then the connection is destroyed. */
export const RESPONSE_TIMEOUT_MS = 5_000
/** Milliseconds between checks for connections without a response. */
export const RESPONSE_WATCH_INTERVAL_MS = 1_000
/** Milliseconds a transaction may be idle, where its pool says nothing else. The leader lock of the scheduled check is idle longest. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 300_000
/** Milliseconds that a closing pool waits for statements in flight. */
export const CLOSE_GRACE_MS = 1_000
/** Milliseconds until a closing pool leaves connections that are still being opened. */
export const CLOSE_TIMEOUT_MS = 1_500
/** Requests that wait for a connection of a pool: of all accounts, and as many of the service itself. */
export const MAX_QUEUED = 1_000
/** Requests of one account that wait for a connection of a pool, where the pool says nothing else. */
export const MAX_QUEUED_PER_ACCOUNT = 250

/**
 * Items of a statement batcher that are queued or in flight: about a thousand that wait, and two batches. On distributed tables
 * for each machine.
 */
export const MAX_PENDING_BATCH_ITEMS = 1_500
/** The same of one account: other accounts find room. */
export const MAX_PENDING_BATCH_ITEMS_PER_ACCOUNT = 500
/** Batches of a statement batcher in flight: one is sent while the other commits. On distributed tables one per machine. */
export const MAX_BATCHES_IN_FLIGHT = 2
/** Time after which a few items start a second batch, in milliseconds: the batch in flight may be stalled. */
export const BATCH_STALL_AFTER_MS = 10
/** Time that an item of a statement batcher may be queued, in milliseconds. */
export const BATCH_QUEUE_TIMEOUT_MS = 5_000
/** Items of a batch that are answered in one tick of the event loop: each starts work on its response. */
export const MAX_BATCH_ANSWERS_PER_TICK = 16
/* Connections. Each kind of work has its own, so that none takes all of them. */

/** Tokens, sessions, sign-in and sign-up. */
export const IDENTITY_CONNECTIONS = 2
/** Advances and deletions of test clocks, which hold a connection as long as they take. */
export const TEST_CLOCK_CONNECTIONS = 3
/** Groups of submissions in flight; on Citus for each node. */
export const MAX_SUBMISSION_GROUPS_PER_NODE = 2
/** Groups of submissions in flight on all nodes of Citus. With more nodes, the nodes share them. */
export const MAX_SUBMISSION_GROUPS = 32
/** Batches of a scheduled check that move at the same time; on Citus one for each shard, up to the maximum. */
export const CHECK_BATCHES = 2
export const MAX_CHECK_BATCHES = 8
/** The connection that holds the lock of the scheduled check. It reads the next batches too, on one PostgreSQL. */
export const CHECK_LOCK_CONNECTIONS = 1
/** On Citus another connection reads the next batches. */
export const CHECK_READ_CONNECTIONS = 1
/** One for reading, one for writing. */
export const MIN_OTHER_CONNECTIONS = 2
/** The smallest pool in which each kind of work has its connections. */
export const MIN_CONNECTIONS =
  IDENTITY_CONNECTIONS +
  TEST_CLOCK_CONNECTIONS +
  MAX_SUBMISSION_GROUPS_PER_NODE +
  CHECK_BATCHES +
  CHECK_LOCK_CONNECTIONS +
  MIN_OTHER_CONNECTIONS
/**
 * Requests of one address that wait for a connection of `identity`. Without cached tokens each request waits there. Each sends one
 * short statement, so an address may use all connections of `identity`.
 */
export const MAX_QUEUED_PER_ADDRESS = 750

/** How long a transaction that writes claims may be idle. A server that stops answering holds its locks no longer. */
export const WRITE_IDLE_TIMEOUT_MS = 15_000
/** On Citus, a statement that writes. Creations do not wait longer for a node that does not answer. */
export const NODE_WRITE_TIMEOUT_MS = 10_000

/* Nodes of Citus. */

/** Failures of nodes within this time are the same loss. Connections from before it are replaced. */
export const NODE_LOSS_WINDOW_MS = 5_000
/** New claims get IDs of the same shard for this long, so that concurrent creations share a statement. */
export const SHARD_ROTATION_MS = 20
/** A node that failed gets no new claims for this long. */
export const NODE_DOWN_MS = 60_000
/** Then new claims of one moment test the node. Others avoid it for this long. */
export const NODE_PROBE_MS = 10_000

/* Migrations. */

/** A migration waits for a lock no longer, because later statements queue behind it. Then it pauses and tries again. */
export const MIGRATION_TABLE_LOCK_TIMEOUT_MS = 1_000
export const MIGRATION_MIN_PAUSE_MS = 500
export const MIGRATION_MAX_PAUSE_MS = 5_000
/** How long migrations wait for locks, or for another server that makes no progress. */
export const MIGRATION_TIMEOUT_MS = 600_000
/** Attempts of the migration lock before the wait is reported: 4 s. Most migrations are faster. */
export const MIGRATION_LOCK_ATTEMPTS_PER_REPORT = 40
/** A background migration that failed starts again after this time. It may run for hours before it fails. */
export const BACKGROUND_MIGRATION_PAUSE_MS = 300_000
/** Tables that the error about tables of another program names. */
export const MAX_NAMED_TABLES = 3
/** How often the CLI reports the progress of background migrations. */
export const MIGRATION_PROGRESS_INTERVAL_MS = 500

/** Metadata up to this size is read with its record; longer metadata is read separately. */
export const MAX_SHORT_METADATA_BYTES = 1024
/** A server that stops answering within a change of metadata holds the record's lock no longer. */
export const METADATA_IDLE_TIMEOUT = '2s'

/* The embedded PostgreSQL. */

/** How long a process waits for PostgreSQL to start, recover or stop, or for another process that starts it. */
export const POSTGRES_WAIT_TIMEOUT_MS = 60_000
/** A wait that takes longer is reported. */
export const POSTGRES_WAIT_REPORT_MS = 2_000
export const POSTGRES_WAIT_POLL_MS = 25
/** A smart shutdown is turned into a fast one after this time: sessions of the service do not end by themselves. */
export const SMART_SHUTDOWN_TIMEOUT_MS = 1_000
/** How often a running service looks for a smart shutdown. */
export const SHUTDOWN_CHECK_INTERVAL_MS = 1_000
/** The time for both shutdowns of a stop. */
export const POSTGRES_STOP_TIMEOUT_MS = 20_000
/** After a fast shutdown of this length, or of 60 % of the time, an immediate one follows. The next start recovers. */
export const MAX_FAST_SHUTDOWN_MS = 5_000
export const IMMEDIATE_SHUTDOWN_SHARE = 0.4
export const SHUTDOWN_POLL_MS = 20
/** A lost server is started again after pauses from the first to the second value. */
export const MIN_RESTART_PAUSE_MS = 100
export const MAX_RESTART_PAUSE_MS = 2_000
/** A process that leaves waits no longer for a restart in progress. */
export const MAX_RESTART_WAIT_MS = 500
/** PostgreSQL may take a moment to notice that a killed service is gone. */
export const SERVICE_LOCK_TIMEOUT_MS = 1_500
export const SERVICE_LOCK_POLL_MS = 50
/** A process that leaves waits this long for each response, and at most for half of its remaining time. */
export const LEAVE_RESPONSE_TIMEOUT_MS = 3_000
export const LEAVE_RESPONSE_SHARE = 0.5
/** Child processes of a killed server hold its shared memory a moment longer. */
export const ORPHAN_TIMEOUT_MS = 10_000
export const ORPHAN_RETRY_MS = 50
/**
 * The range of the ports of the embedded PostgreSQL. It is below the range of outgoing connections: a client that retries on a port
 * of that range may get the same port as its own and connect to itself.
 */
export const MIN_PORT = 15_000
export const MAX_PORT = 32_000
/** Free ports that are tried if another process takes the chosen one meanwhile. */
export const MAX_PORT_ATTEMPTS = 5
/** Above this size the log of PostgreSQL is rotated. */
export const MAX_POSTGRES_LOG_BYTES = 10 * 1024 * 1024
/**
 * The longest wait for a lock, as PostgreSQL writes it, of a statement that inserts or changes records: for a reader of the list, or
 * for a row that another transaction changes, such as an alias that an advance moves. Then the statement fails and is retried.
 */
export const MAX_LOCK_WAIT = '1s'

/* Lists. */

/** Records of a page, if the request gives no `limit`. */
export const DEFAULT_PAGE_SIZE = 50
/** Records of a page at most. */
export const MAX_PAGE_SIZE = 100
/** A record this recent may have been added together with one that is not visible yet. A PostgreSQL interval. */
export const FRESH_INTERVAL = '1 minute'
/** @public a cursor whose record was deleted is valid for */
export const DELETED_CURSOR_TTL_SECONDS = 7 * 86_400
/** Reads of a list page whose records vanish meanwhile: each time some were deleted or changed their status. */
export const MAX_PAGE_READS = 10
/** Records that a list without pages reads at a time: a few milliseconds of the event loop. */
export const NEWEST_FIRST_PAGE_SIZE = 100
/** Records whose long metadata is loaded at a time: up to 1 MiB. */
export const LONG_METADATA_BATCH_SIZE = 8
