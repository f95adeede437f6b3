import type pg from 'pg'
import { retryWhile } from './retry-while.ts'

/**
 * FORCE does not end a worker of autovacuum that is in the database just then (the role is no superuser), and waits five
 * seconds for those that it has ended.
 */
const MAY_PASS = ['42501', '55006']

/** Drops the database, even if clients are connected. */
export const dropDatabase = (client: pg.Client, name: string): Promise<void> =>
  retryWhile(MAY_PASS, () => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
