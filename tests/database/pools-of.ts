import { Pool } from '../support/source/database.ts'
import type { Scope } from '../support/test-database.ts'

interface Options {
  size: number
  /** Another way to the database. */
  url?: string
  statementTimeoutMs?: number
}

/** Opens pools of connections to the database, closed with their scope. */
export const poolsOf =
  (connectionString: string) =>
  (t: Scope, { url = connectionString, ...options }: Options): Pool => {
    const pool = new Pool({ connectionString: url, ...options })
    t.after(() => pool.close())
    return pool
  }
