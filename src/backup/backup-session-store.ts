import pg from 'pg'
import { OperatorError } from '../kernel/operator-error.ts'
import { connectTo } from '../platform/database/pool/server-address.ts'

/**
 * One transaction on a connection of its own, for as long as it takes. The caller ends the connection, and so whatever is
 * still under way.
 * @param mode of the transaction; empty for one that writes
 */
export async function beginLong(connectionString: string, mode: string, lock: string): Promise<pg.Client> {
  const client = await connectTo(connectionString, { application_name: 'claimkeeper backup' })
  try {
    await client.query(`BEGIN ${mode}`)
    // First: the transaction sees what is there after this.
    if (lock !== '') await client.query(`SET LOCAL lock_timeout = '10s'; ${lock}; SET LOCAL lock_timeout = 0`)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** The database's words, in one line: a full disk, a lost connection, a table that is not there. */
export function inOneLine(what: string, error: unknown): unknown {
  const isOurs = error instanceof OperatorError || !(error instanceof Error)
  // What the driver says of a lost connection has no code; what is wrong in our code is no plain Error.
  const isTheirs = error instanceof pg.DatabaseError || (error as { code?: unknown }).code !== undefined
  if (isOurs || !(isTheirs || /connection|timeout/i.test(error.message))) return error
  return new OperatorError(`${what}: ${error.message}`, { cause: error })
}

/** Of pg_class as `c`: what stands where our tables are, and is of no extension. */
export const IS_OURS = `relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'schema_migrations'::regclass)
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND deptype = 'e')`

/** A name that needs no quotes, as all of ours are. */
export const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/
