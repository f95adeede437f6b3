import { OperatorError } from '../../../kernel/operator-error.ts'
import { listFirst } from '../../../kernel/text.ts'
import type { Connection } from '../connection.ts'
import { MAX_NAMED_TABLES } from '../limits.ts'
import { type Migration, OWN_MIGRATIONS } from './migration-files.ts'

type Queries = Pick<Connection, 'query'>

/**
 * SQL: whether a table has the columns that Claimkeeper's migrations table has had since its first version. Migrations tables of
 * other programs (Rails, Ecto, golang-migrate, dbmate) are also called `schema_migrations`.
 * @param oid SQL
 */
export const hasVersionColumns = (oid: string): string => `(
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = ${oid} AND NOT attisdropped AND (attname, atttypid) IN
          (('version', 'integer'::regtype), ('name', 'text'::regtype), ('applied_at', 'timestamptz'::regtype))
      ) = 3`

const VERSION_TABLE = `SELECT c.oid, c.relnamespace FROM pg_class c
      WHERE c.oid = to_regclass('schema_migrations') AND ${hasVersionColumns('c.oid')}`

/** Whether the database holds tables of any version of Claimkeeper. */
export async function hasVersionTable(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>({
    text: `-- find_version_table
      SELECT EXISTS (${VERSION_TABLE}) AS found`,
    readOnly: true,
  })
  return row?.found === true
}

interface Found {
  database: string
  /** Where tables are created. */
  schema: string
  hasVersionTable: boolean
  /** Tables, views and sequences of that schema, without extensions and the migrations table. */
  others: string[]
  /** Claimkeeper's tables that a table of another schema hides. */
  hidden: string[]
}

/**
 * Changes nothing.
 * @throws OperatorError if tables of another program are in the schema of Claimkeeper's tables, or hide them
 */
export async function requireOwnTables(
  db: Queries,
  migrations: readonly Migration[] = OWN_MIGRATIONS,
): Promise<void> {
  // One statement, because another server may run the first migration at the same time.
  const [found] = await db.query<Found>({
    text: `-- find_tables_of_others
      WITH version_table AS (${VERSION_TABLE}),
      relation AS (
        SELECT c.oid, relname, c.relnamespace FROM pg_class c
        WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND deptype IN ('e', 'i')
        )
      )
      SELECT current_database() AS database, current_schema() AS schema,
        EXISTS (SELECT FROM version_table) AS "hasVersionTable",
        ARRAY(
          SELECT relname::text FROM relation
          WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
            AND oid NOT IN (SELECT oid FROM version_table)
          ORDER BY relname
        ) AS others,
        ARRAY(
          SELECT relname::text FROM relation
          WHERE relnamespace IN (SELECT relnamespace FROM version_table) AND NOT pg_table_is_visible(oid)
          ORDER BY relname
        ) AS hidden`,
    readOnly: true,
  })
  const { database, schema, others, hidden, hasVersionTable } = found as Found
  const first = hasVersionTable ? await firstRecorded(db) : null
  if (first !== null && first === migrations[0]?.name) {
    if (hidden.length === 0) return
    throw new OperatorError(
      `The database ${database} has tables of another program in a schema that its search_path names before Claimkeeper’s: ${named(hidden)}. Put Claimkeeper’s schema first in search_path.`,
    )
  }
  if (first !== null) others.unshift('schema_migrations')
  // An empty migrations table may be of any program.
  if (others.length === 0) return
  throw new OperatorError(
    `The database ${database} holds tables of another program (${named(others)}, in the schema ${schema}) and no record of Claimkeeper’s migrations. Nothing was changed. Create a database for Claimkeeper (CREATE DATABASE) and name it in DATABASE_URL.`,
  )
}

/** The first recorded migration; null for none. */
async function firstRecorded(db: Queries): Promise<string | null> {
  const [first] = await db.query<{ name: string }>({
    text: 'SELECT name FROM schema_migrations ORDER BY abs(version) LIMIT 1',
    readOnly: true,
  })
  return first?.name ?? null
}

const named = (tables: readonly string[]): string => listFirst(tables, MAX_NAMED_TABLES)
