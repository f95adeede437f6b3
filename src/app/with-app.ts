import { LEAST_CONNECTIONS } from '../storage/database/database.ts'
import { type DatabaseOptions, openDatabase } from '../storage/database/open-database.ts'
import { unlessAborted } from '../storage/database/unless-aborted.ts'
import { type App, createApp } from './app.ts'

/** Opens the database for a short command, does the work, and leaves the database as it was found. */
export async function withApp<T>(
  options: Omit<DatabaseOptions, 'role' | 'poolSize'>,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({
    ...options,
    role: 'command',
    poolSize: LEAST_CONNECTIONS,
  })
  try {
    return await unlessAborted(options.signal, work(createApp(database.db)))
  } finally {
    await database.close()
  }
}
