import pg from 'pg'
import { OperatorError } from '../kernel/operator-error.ts'
import { connectTo } from '../platform/database/pool/server-address.ts'
import { TABLE_LOCK_TIMEOUT_SECONDS } from './limits.ts'

/**
 * Begins a transaction without a timeout on a connection of its own. The caller ends the connection, which also cancels a running
 * statement.
 * @param mode of the transaction; empty for one that writes
 * @param lock a statement that locks tables; empty for none
 */
export async function beginWithoutTimeout(
  connectionString: string,
  mode: string,
  lock: string,
): Promise<pg.Client> {
  const client = await connectTo(connectionString, { application_name: 'claimkeeper backup' })
  try {
    await client.query(`BEGIN ${mode}`)
    // The lock comes first: the snapshot is taken by the next statement.
    if (lock !== '')
      await client.query(
        `SET LOCAL lock_timeout = '${TABLE_LOCK_TIMEOUT_SECONDS}s'; ${lock}; SET LOCAL lock_timeout = 0`,
      )
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Turns an error of the database or of the connection into an OperatorError, which the CLI prints in one line. */
export function toOperatorError(context: string, error: unknown): unknown {
  if (error instanceof OperatorError || !(error instanceof Error)) return error
  // The driver's errors about a lost connection have no code.
  const isOfDatabase = error instanceof pg.DatabaseError || (error as { code?: unknown }).code !== undefined
  if (!isOfDatabase && !/connection|timeout/i.test(error.message)) return error
  return new OperatorError(`${context}: ${error.message}`, { cause: error })
}

/** A condition on pg_class `c`: relations in the schema of Claimkeeper's tables that belong to no extension. */
export const IS_IN_SERVICE_SCHEMA = `relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'schema_migrations'::regclass)
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND deptype = 'e')`

/** A name that needs no quotes, like all names of Claimkeeper. */
export const UNQUOTED_IDENTIFIER = /^[a-z_][a-z0-9_]*$/
