import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { isOnCitus, nodesOfRun, onEachNode, urlOfDatabase } from './database-nodes.ts'
import { dropDatabase } from './drop-database.ts'
import { retryWhile } from './retry-while.ts'
import { Database, migrate } from './source/database.ts'

/** object_in_use: an autovacuum worker is connected to the template. */
const IN_USE = '55006'

/** The owner of a resource: a test (`t`), or a file (`{ after }` of node:test). */
export interface Scope {
  after: (release: () => Promise<void>) => void
}

interface TestDatabaseOptions {
  migrated: boolean
  /** Options of CREATE DATABASE. By default the database has the locale of the server. */
  locale?: string
}

/** A migrated database for a test or a file. Dropped at the end of its scope. Returns its URL. */
export async function createTestDatabase(
  t: Scope,
  options: TestDatabaseOptions = { migrated: true },
): Promise<string> {
  const nodes = nodesOfRun()
  const [server] = nodes
  const run = process.env.CLAIMKEEPER_TEST_RUN
  assert.ok(server && run, 'run the tests with `npm test`: it starts their database')

  const name = `claimkeeper_test_${run}_${randomBytes(6).toString('hex')}`
  const { migrated, locale = '' } = options
  const copied = `claimkeeper_test_${run}_${migrated ? 'template' : 'empty'}`
  // Other templates have a locale, and a copy cannot change it.
  const template = locale === '' ? copied : 'template0'
  await onEachNode(nodes, async (client) => {
    await retryWhile([IN_USE], () => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${locale}`))
    // Settings of distributed tables are not copied with a database.
    if (!isOnCitus()) return
    for (const setting of ['enable_seqscan', 'enable_bitmapscan'])
      await client.query(`ALTER DATABASE ${name} SET ${setting} = off`)
  })
  t.after(() => onEachNode(nodes, (client) => dropDatabase(client, name)))
  const url = urlOfDatabase(server, name)
  if (migrated && locale !== '') await migrateAlone(url)
  return url
}

async function migrateAlone(connectionString: string): Promise<void> {
  const db = new Database({ connectionString, poolSize: 2 })
  await migrate(db, () => {})
  await db.close()
}
