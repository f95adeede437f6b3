import { unavailable } from '../../kernel/errors.ts'
import { Batcher, type BatcherFailure, type BatcherOptions } from '../concurrency/batcher.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import {
  DatabaseOverloaded,
  DatabaseUnavailable,
  isFaultOfDatabase,
  isTransient,
} from './database-unavailable.ts'
import {
  BATCH_QUEUE_TIMEOUT_MS,
  BATCH_STALL_AFTER_MS,
  MAX_BATCH_ANSWERS_PER_TICK,
  MAX_BATCHES_IN_FLIGHT,
  MAX_PENDING_BATCH_ITEMS,
  MAX_PENDING_BATCH_ITEMS_PER_ACCOUNT,
} from './limits.ts'

type StatementOptions<Item, Result> = Pick<
  BatcherOptions<Item, Result>,
  'maxWeight' | 'weightOf' | 'batchKeyOf'
> & {
  db: Connection
  /** Returns the result of each item, in order. Does all of them or none. */
  run: (db: Connection, items: readonly Item[]) => Promise<readonly Result[]>
}

/** What a failed statement means for the items of its batch. */
export const DATABASE_BATCH_ERRORS = {
  isTransient,
  isOutage: (error: unknown): boolean => error instanceof DatabaseUnavailable && !error.isTransient,
}

const createError = (reason: BatcherFailure): Error => {
  if (reason === 'stopping') return unavailable('The server is stopping.')
  return reason === 'queue full'
    ? new DatabaseOverloaded('Too many requests are waiting for the database.')
    : new DatabaseOverloaded('The database did not process the request in time.')
}

const DEFAULTS = {
  maxPending: MAX_PENDING_BATCH_ITEMS,
  maxPendingPerAccount: MAX_PENDING_BATCH_ITEMS_PER_ACCOUNT,
  maxInFlight: MAX_BATCHES_IN_FLIGHT,
  stallAfterMs: BATCH_STALL_AFTER_MS,
  queueTimeoutMs: BATCH_QUEUE_TIMEOUT_MS,
  maxAnswersPerTick: MAX_BATCH_ANSWERS_PER_TICK,
  createError,
  ...DATABASE_BATCH_ERRORS,
}

/** A batcher that runs each batch as one statement. */
export const newStatementBatcher = <Item, Result>({
  db,
  run,
  ...options
}: StatementOptions<Item, Result>): Batcher<Item, Result> =>
  new Batcher({ ...DEFAULTS, ...options, run: (items) => run(db, items) })

/**
 * The same for statements about claims. On distributed tables a batch has claims of one node, and each node has one batch
 * in flight: a node that does not answer delays no claim of another.
 */
export function newClaimBatcher<Item, Result>(
  database: Database,
  { db, run, claimIdOf, ...options }: StatementOptions<Item, Result> & { claimIdOf: (item: Item) => string },
): Batcher<Item, Result> {
  const { distribution } = database
  if (!distribution.isOn) return newStatementBatcher({ db, run, ...options })
  return new Batcher({
    ...DEFAULTS,
    ...options,
    maxInFlight: 1,
    maxPending: MAX_PENDING_BATCH_ITEMS * distribution.nodes,
    maxPendingPerAccount: MAX_PENDING_BATCH_ITEMS_PER_ACCOUNT * distribution.nodes,
    partitionOf: (item) => distribution.nodeOf(claimIdOf(item)),
    isDegraded: (node) => distribution.isDown(node),
    run: async (items, node) => {
      const startedAt = performance.now()
      try {
        const results = await run(db, items)
        distribution.markUp(node, startedAt)
        return results
      } catch (error) {
        if (isFaultOfDatabase(error) && !isTransient(error)) database.markDown(node)
        throw error
      }
    },
  })
}
