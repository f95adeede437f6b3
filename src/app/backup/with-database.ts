import { LEAST_CONNECTIONS } from '../../storage/database/database.ts'
import {
  type DatabaseOptions,
  type OpenDatabase,
  openDatabase,
} from '../../storage/database/open-database.ts'
import { unlessAborted } from '../../storage/database/unless-aborted.ts'

/** Opens the database as it is for a command that is about all of it, and leaves it as it was found. */
export async function withDatabase<T>(
  options: Omit<DatabaseOptions, 'role' | 'poolSize' | 'leavesTables' | 'allowUnsafe'>,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({
    ...options,
    role: 'command',
    poolSize: LEAST_CONNECTIONS,
    leavesTables: true,
    allowUnsafe: true,
  })
  try {
    return await unlessAborted(options.signal, work(database))
  } finally {
    await database.close()
  }
}
