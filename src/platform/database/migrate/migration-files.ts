import { readdirSync, readFileSync } from 'node:fs'
import { MIGRATIONS_FOLDER } from '../../../installed-files.ts'

/** One step of the tables' way to what this code needs: a file of `platform/database/migrations/`. */
export interface Migration {
  version: number
  name: string
  text: string
  /** Servers whose last migration is this one, or a later one, run on it. */
  worksFrom: number
  /** What runs after the start, while the service works; null if it runs before it. */
  background: readonly IndexStatement[] | null
}

const NAME = /^(\d{4})-[a-z0-9-]+\.sql$/
const WORKS_FROM = /^-- Works with servers from (\d{4}) on\.$/m
const IN_BACKGROUND = /^-- In the background\.$/m

/** Up to here files do not say with which servers they work, and are never edited. Where nothing is said here either, with no older ones. */
const LAST_WITHOUT_WORD = 13
const WORKS_FROM_OF_OLD: Readonly<Record<number, number>> = { 13: 12 }

/** In their order. @throws if a file does not say what it must */
export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const migrations = names.sort().map((name) => readMigration(name, new URL(name, folder)))
  migrations.forEach(({ version, name }, place) => {
    if (version !== place + 1) throw new Error(`${name}: migrations are numbered from 0001 without gaps`)
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
  if (version <= LAST_WITHOUT_WORD) return WORKS_FROM_OF_OLD[version] ?? version
  const [, said] = WORKS_FROM.exec(header) ?? []
  return said === undefined ? null : Number(said)
}

/** What a migration in the background does to one index. */
export interface IndexStatement {
  text: string
  index: string
  /** Else it is dropped. */
  isMade: boolean
}

const MADE = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY ([a-z][a-z0-9_]*) ON [a-z_]+ /
const DROPPED = /^DROP INDEX CONCURRENTLY IF EXISTS ([a-z][a-z0-9_]*)$/
/** Citus calls a shard's index by this name and the shard's number; longer ones it would cut. */
const LONGEST_NAME = 50

/**
 * The statements of a migration that runs in the background, of which each can be told to be done: so whoever is stopped in the middle, or finds what another one left,
 * can go on.
 * @throws if there is another one
 */
function readBackgroundStatements(name: string, text: string): IndexStatement[] {
  const statements = text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '')
  return statements.map((statement) => {
    const [, made] = MADE.exec(statement) ?? []
    const [, dropped] = DROPPED.exec(statement) ?? []
    const index = made ?? dropped
    if (index === undefined || index.length > LONGEST_NAME) {
      throw new Error(
        `${name}: in the background there may be CREATE INDEX CONCURRENTLY name ON table … and DROP INDEX CONCURRENTLY IF EXISTS name alone, names of ${LONGEST_NAME} letters at most: ${statement}`,
      )
    }
    return { text: statement, index, isMade: made !== undefined }
  })
}

/** Read once: whoever puts other files in the place of a running server's changes nothing for it. */
export const OWN_MIGRATIONS: readonly Migration[] = readMigrations(MIGRATIONS_FOLDER)

/** What a server of this code is called where it matters whether it runs on a database: its last migration. */
export const CODE_VERSION = versionOf(OWN_MIGRATIONS)
