import type pg from 'pg'
import { retryWhile } from './retry-while.ts'

/**
 * Errors after which the drop is retried: FORCE cannot end an autovacuum worker (the role is no superuser), and waits
 * only five seconds for the sessions that it has ended.
 */
const MAY_PASS = ['42501', '55006']

/** Drops the database, even if clients are connected. */
export const dropDatabase = (client: pg.Client, name: string): Promise<void> =>
  retryWhile(MAY_PASS, () => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
