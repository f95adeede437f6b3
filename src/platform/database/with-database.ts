import { LEAST_CONNECTIONS } from './database.ts'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from './open-database.ts'
import { unlessAborted } from './unless-aborted.ts'

export type CommandOptions = Omit<DatabaseOptions, 'role' | 'poolSize'>

/** Opens the database for a command, does the work, and leaves the database as it was found. */
export async function withDatabase<T>(
  options: CommandOptions,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ ...options, role: 'command', poolSize: LEAST_CONNECTIONS })
  try {
    return await unlessAborted(options.signal, work(database))
  } finally {
    await database.close()
  }
}

/** For one that is about all of the database, of whatever version and however safe it is. */
export const withDatabaseAsItIs = <T>(
  options: Omit<CommandOptions, 'leavesTables' | 'allowUnsafe'>,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> => withDatabase({ ...options, leavesTables: true, allowUnsafe: true }, work)
