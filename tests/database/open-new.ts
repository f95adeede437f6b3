import type { TestContext } from 'node:test'
import { CODE_VERSION, Database } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** The number of this version's last migration, as in its file name. */
export const LAST_MIGRATION = String(CODE_VERSION).padStart(4, '0')

/** A new database. Each call of the result opens it as another server does. */
export async function openNew(t: TestContext, migrated = false): Promise<() => Database> {
  const connectionString = await createTestDatabase(t, { migrated })
  return () => {
    const db = new Database({ connectionString, poolSize: 2 })
    t.after(() => db.close())
    return db
  }
}
