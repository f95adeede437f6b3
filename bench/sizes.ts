/** All sizes and durations of the benchmark. Times are in milliseconds. */
export interface Sizes {
  /** Whether pgbench is also measured. */
  hasYardstick: boolean
  /** Duration of each measurement, and of the requests before it that are not counted. */
  warmupMs: number
  measureMs: number
  /** Duration of the measurement of each number of connections or clients, to find the fastest. */
  sweepMs: number
  /** Number of measurements of the service and of the yardstick, in alternation. */
  rounds: number
  coldRounds: number
  contendedRounds: number
  /** Numbers of connections of the load client, and of clients of pgbench, of which the fastest is used. */
  clients: number[]
  batchConnections: number[]
  openLoopMs: number
  /** Claims that receive many events, and claims that receive about one event each. */
  warmClaims: number
  coldClaims: number
  contendedClaims: number
  overdueClaims: number
  /** Time between the start of loading overdue claims and their check. */
  overdueLeadMs: number
  backupClaims: number
  /** Order of the measurements: p is plain PostgreSQL, c is Citus. Each check waits for a whole minute. */
  distributedTurns: string
  distributedCheckTurns: string
  distributedOverdue: number
  /** Claims of the capacity model. Each receives about one event. */
  modelClaims: number
  /** Events of one measurement of notifications. In `mixed` every tenth event notifies: a multiple of 3,200. */
  notificationEvents: { single: number; mixed: number; batch: number }
  /** Deliveries that are queued when an endpoint is enabled. */
  webhookBacklog: number
  readClaims: { small: number; large: number }
  /** Claims of the account whose lists are filtered and sorted. */
  listedClaims: number
  readRounds: number
  /** Requests of each kind in each round. */
  readsOfKind: number
  backtestEvents: number
  /** Back-tests of the log that is sorted by case. The other log is tested once. */
  backtestRounds: number
  /** Duration of each attack, and the time in which memory and descriptors must be released afterwards. */
  attackMs: number
  calmMs: number
  enduranceMs: number
}

export const FULL: Sizes = {
  hasYardstick: true,
  warmupMs: 2_000,
  measureMs: 10_000,
  sweepMs: 5_000,
  rounds: 3,
  coldRounds: 2,
  contendedRounds: 2,
  clients: [8, 32, 64],
  batchConnections: [4, 8, 16],
  openLoopMs: 20_000,
  warmClaims: 10_000,
  coldClaims: 1_000_000,
  contendedClaims: 10,
  overdueClaims: 1_000_000,
  overdueLeadMs: 120_000,
  backupClaims: 300_000,
  distributedTurns: 'pccp',
  distributedCheckTurns: 'pccp',
  distributedOverdue: 100_000,
  modelClaims: 100_000,
  notificationEvents: { single: 50_000, mixed: 64_000, batch: 100_000 },
  webhookBacklog: 20_000,
  readClaims: { small: 10_000, large: 10_000_000 },
  listedClaims: 500_000,
  readRounds: 6,
  readsOfKind: 100,
  backtestEvents: 2_000_000,
  backtestRounds: 3,
  attackMs: 8_000,
  enduranceMs: 3_600_000,
  calmMs: 60_000,
}

export const QUICK: Sizes = {
  hasYardstick: true,
  warmupMs: 500,
  measureMs: 1_400,
  sweepMs: 1_000,
  rounds: 2,
  coldRounds: 1,
  contendedRounds: 1,
  clients: [8, 64],
  batchConnections: [8],
  openLoopMs: 2_000,
  warmClaims: 10_000,
  coldClaims: 100_000,
  contendedClaims: 10,
  overdueClaims: 100_000,
  overdueLeadMs: 10_000,
  backupClaims: 50_000,
  distributedTurns: 'pccp',
  distributedCheckTurns: 'pc',
  distributedOverdue: 10_000,
  modelClaims: 20_000,
  notificationEvents: { single: 4_000, mixed: 16_000, batch: 6_000 },
  webhookBacklog: 10_000,
  readClaims: { small: 10_000, large: 300_000 },
  listedClaims: 100_000,
  readRounds: 2,
  readsOfKind: 15,
  backtestEvents: 200_000,
  backtestRounds: 1,
  attackMs: 1_000,
  enduranceMs: 300_000,
  calmMs: 10_000,
}

/** One run of the comparison of two commits (`compare-commits.ts`). The yardstick is the other commit. */
export const TURN: Sizes = {
  ...QUICK,
  hasYardstick: false,
  warmupMs: 2_000,
  measureMs: 8_000,
  sweepMs: 4_000,
  rounds: 1,
  clients: [32],
  openLoopMs: 10_000,
  overdueClaims: 200_000,
  overdueLeadMs: 45_000,
}

export const EVENTS_PER_BATCH = 100
/** At half of the maximum rate, requests come from many connections, which are mostly idle. */
export const OPEN_LOOP_CONNECTIONS = 64
