import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDatabase } from '../support/new-database.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { migrate, OWN_MIGRATIONS } from '../support/source/database.ts'
import { openNew } from './open-new.ts'

const quietly = () => {}
const TABLES = `SELECT n.nspname AS schema, c.relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0
  WHERE relkind IN ('r', 'v', 'S') AND nspname NOT IN ('pg_catalog', 'information_schema') GROUP BY 1, 2 ORDER BY 1, 2`

/** Objects of other programs in a database. */
const OTHERS: Record<string, string> = {
  'a table with the name of a Claimkeeper table': 'CREATE TABLE claims (other int)',
  'other tables': 'CREATE TABLE orders (id serial PRIMARY KEY); CREATE TABLE parts (id int)',
  'a view': 'CREATE VIEW report AS SELECT 1 AS one',
  'the migrations table of Rails': 'CREATE TABLE schema_migrations (version varchar PRIMARY KEY)',
  'the migrations table of golang-migrate':
    'CREATE TABLE schema_migrations (version bigint PRIMARY KEY, dirty boolean)',
  'the migrations table of Ecto':
    'CREATE TABLE schema_migrations (version bigint PRIMARY KEY, inserted_at timestamp)',
  'a migrations table with the columns of Claimkeeper’s': `CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz); INSERT INTO schema_migrations VALUES (1, '0001-init.sql', now())`,
}

describe('a database that holds tables of another program is refused and not changed:', () => {
  for (const [what, text] of Object.entries(OTHERS)) {
    test(what, async (t) => {
      const db = (await openNew(t))()
      await db.query({ text })
      const before = await db.query({ text: TABLES })
      await assert.rejects(migrate(db, quietly), {
        name: 'OperatorError',
        message:
          /^The database claimkeeper_test_\w+ holds tables of another program \(\w+.*, in the schema public\) and no record of Claimkeeper’s migrations\. Nothing was changed\./,
      })
      assert.deepEqual(await db.query({ text: TABLES }), before)
    })
  }
})

test('tables of other schemas, functions, and an empty migrations table do not prevent the migration', async (t) => {
  const db = (await openNew(t))()
  await db.query({
    text: `CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.claims (id int);
      CREATE FUNCTION answer() RETURNS int LANGUAGE sql AS 'SELECT 42'`,
  })
  await db.query({
    text: 'CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  })
  await migrate(db, quietly)
  // Once Claimkeeper's tables exist, other tables may be added.
  await db.query({ text: 'CREATE VIEW report AS SELECT count(*) FROM claims' })
  await migrate(db, quietly)
})

test('the tables are created in the first schema of the search_path, whatever a later schema holds', async (t) => {
  const db = (await openNew(t))()
  await db.query({
    text: 'CREATE TABLE schema_migrations (version varchar); CREATE TABLE users (id int); CREATE SCHEMA own',
  })
  await db.transaction(async (connection) => {
    await connection.query({ text: 'SET LOCAL search_path = own, public' })
    await migrate(connection, quietly)
  })
  const [first] = await db.query({ text: 'SELECT name FROM own.schema_migrations WHERE version = 1' })
  assert.deepEqual(first, { name: OWN_MIGRATIONS[0]?.name })
  assert.deepEqual(await db.query({ text: 'TABLE schema_migrations' }), [])
})

test('tables of another schema that hide Claimkeeper’s tables are named', async (t) => {
  const db = (await openNew(t, true))()
  await db.query({ text: 'CREATE SCHEMA before; CREATE TABLE before.claims (id int)' })
  await db.transaction(async (connection) => {
    await connection.query({ text: 'SET LOCAL search_path = before, public' })
    await assert.rejects(migrate(connection, quietly), {
      name: 'OperatorError',
      message: /names before Claimkeeper’s: claims\. /,
    })
  })
})

test('a table that a later migration would create is named and not changed', async (t) => {
  const db = (await openNew(t))()
  await migrate(db, quietly, OWN_MIGRATIONS.slice(0, 10))
  await db.query({ text: 'CREATE TABLE webhook_endpoints (other int)' })
  await assert.rejects(migrate(db, quietly), {
    name: 'OperatorError',
    message:
      'The database could not be migrated: relation "webhook_endpoints" already exists and does not belong to Claimkeeper. Rename or drop it.',
  })
  assert.deepEqual(await db.query({ text: 'TABLE webhook_endpoints' }), [])
})

for (const encoding of ['LATIN1', 'SQL_ASCII'])
  test(`a database in ${encoding} is refused at the start, and doctor names it`, async (t) => {
    const DATABASE_URL = await newDatabase(t, `ENCODING '${encoding}' TEMPLATE template0 LOCALE 'C'`)
    const settings = { DATABASE_URL, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true' }
    const { status, stderr } = await runSharedCli(['migrate'], settings)
    assert.equal(status, 1)
    assert.match(
      stderr,
      new RegExp(`claimkeeper: The database is encoded in ${encoding}\\. It must be UTF8: [^\\n]*\\n$`),
    )
    const examined = await runSharedCli(['doctor'], settings)
    assert.equal(examined.status, 1)
    assert.match(examined.stdout, new RegExp(encoding))
  })
