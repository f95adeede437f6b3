/** Every size and duration of the benchmark; times in milliseconds. */
export interface Sizes {
  /** Whether pgbench is measured too. */
  hasYardstick: boolean
  /** What is not counted before each measurement, and how long each measurement is. */
  warmupMs: number
  measureMs: number
  /** The search for the best number of connections or clients, for each candidate. */
  sweepMs: number
  /** How many times the service and the yardstick take turns. */
  rounds: number
  coldRounds: number
  contendedRounds: number
  /** Connections of the load client, and clients of pgbench, among which the best is looked for. */
  clients: number[]
  batchConnections: number[]
  openLoopMs: number
  /** Claims that are submitted to again and again, and those that are touched about once. */
  warmClaims: number
  coldClaims: number
  contendedClaims: number
  overdueClaims: number
  /** How long before its check the loading of the overdue claims begins. */
  overdueLeadMs: number
  backupClaims: number
  /** Plain PostgreSQL (p) and Citus (c) by turns; checks each wait for a whole minute. */
  distributedTurns: string
  distributedCheckTurns: string
  distributedOverdue: number
  /** Of which each comes about once. */
  modelClaims: number
  /** Events with a notification each, in a turn: one a request, and in batches. */
  /** Of `mixed` a multiple of 3,200. */
  toldEvents: { single: number; mixed: number; batch: number }
  /** Deliveries that wait when an endpoint is enabled. */
  webhookBacklog: number
  readClaims: { small: number; large: number }
  /** Of an account whose lists are filtered and sorted. */
  listedClaims: number
  readRounds: number
  /** Requests of each kind in each round. */
  readsOfKind: number
  backtestEvents: number
  /** Over the log that is sorted by case; over the other one once. */
  backtestRounds: number
  /** How long each attack goes on, and how long memory and descriptors may take to come back. */
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
  toldEvents: { single: 50_000, mixed: 64_000, batch: 100_000 },
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
  toldEvents: { single: 4_000, mixed: 16_000, batch: 6_000 },
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

/** One turn of the comparison of two commits (`compare-commits.ts`), whose yardstick is the other commit. */
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

export const EVENTS_A_BATCH = 100
/** At the half of the maximum rate callers come from many connections, mostly idle. */
export const OPEN_LOOP_CONNECTIONS = 64
