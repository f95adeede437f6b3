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
export function readBackgroundStatements(name: string, text: string): IndexStatement[] {
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
