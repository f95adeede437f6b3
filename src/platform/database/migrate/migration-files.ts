import { readdirSync, readFileSync } from 'node:fs'
import { MIGRATIONS_FOLDER } from '../../../installed-files.ts'

/** A file of `platform/database/migrations/`. */
export interface Migration {
  version: number
  name: string
  text: string
  /** Servers that have this migration or a later one can run on the migrated tables. */
  worksFrom: number
  /** The statements of a background migration, which run after the start; null if the migration runs before the start. */
  background: readonly IndexStatement[] | null
}

const NAME = /^(\d{4})-[a-z0-9-]+\.sql$/
const WORKS_FROM = /^-- Works with servers from (\d{4}) on\.$/m
const IN_BACKGROUND = /^-- In the background\.$/m

/** Files up to this number lack the line with the compatible servers, and released files are never edited. */
const LAST_WITHOUT_HEADER = 13
/** The compatible servers of those files. By default none is older than the migration. */
const WORKS_FROM_WITHOUT_HEADER: Readonly<Record<number, number>> = { 13: 12 }

/** In ascending order. @throws if a file lacks its header or its number */
export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const migrations = names.sort().map((name) => readMigration(name, new URL(name, folder)))
  migrations.forEach(({ version, name }, index) => {
    if (version !== index + 1) throw new Error(`${name}: migrations are numbered from 0001 without gaps`)
  })
  return migrations
}

export function versionOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

function readMigration(name: string, file: URL): Migration {
  const [, digits] = NAME.exec(name) ?? []
  if (!digits) throw new Error(`${name}: a migration is called NNNN-what-it-does.sql`)
  const version = Number(digits)
  const text = readFileSync(file, 'utf8')
  const header = /^(?:--.*\n|\s*\n)*/.exec(text)?.[0] ?? ''
  const worksFrom = worksFromOf(version, header)
  if (worksFrom === null || worksFrom > version) {
    throw new Error(
      `${name} must begin with a line "-- Works with servers from NNNN on.", NNNN being the last migration of the oldest of them, at most its own number`,
    )
  }
  const background = IN_BACKGROUND.test(header) ? readBackgroundStatements(name, text) : null
  return { version, name, text, worksFrom, background }
}

function worksFromOf(version: number, header: string): number | null {
  if (version <= LAST_WITHOUT_HEADER) return WORKS_FROM_WITHOUT_HEADER[version] ?? version
  const [, digits] = WORKS_FROM.exec(header) ?? []
  return digits === undefined ? null : Number(digits)
}

/** A statement of a background migration. */
export interface IndexStatement {
  text: string
  index: string
  /** False if the statement drops the index. */
  isCreate: boolean
}

const CREATED = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY ([a-z][a-z0-9_]*) ON [a-z_]+ /
const DROPPED = /^DROP INDEX CONCURRENTLY IF EXISTS ([a-z][a-z0-9_]*)$/
/** In characters. Citus appends the shard's number to the name and would cut longer names. */
const MAX_INDEX_NAME_LENGTH = 50

/**
 * The statements of a background migration. Only statements are allowed whose completion can be read from the catalog, so that an
 * interrupted migration can continue.
 * @throws if the migration has another statement
 */
function readBackgroundStatements(name: string, text: string): IndexStatement[] {
  const statements = text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '')
  return statements.map((statement) => {
    const [, created] = CREATED.exec(statement) ?? []
    const [, dropped] = DROPPED.exec(statement) ?? []
    const index = created ?? dropped
    if (index === undefined || index.length > MAX_INDEX_NAME_LENGTH) {
      throw new Error(
        `${name}: a background migration may contain only CREATE INDEX CONCURRENTLY name ON table … and DROP INDEX CONCURRENTLY IF EXISTS name, with names of at most ${MAX_INDEX_NAME_LENGTH} characters: ${statement}`,
      )
    }
    return { text: statement, index, isCreate: created !== undefined }
  })
}

/** Read once, so that replacing the files of a running server does not affect it. */
export const OWN_MIGRATIONS: readonly Migration[] = readMigrations(MIGRATIONS_FOLDER)

/** The version of this code for its compatibility with a database: its last migration. */
export const CODE_VERSION = versionOf(OWN_MIGRATIONS)
