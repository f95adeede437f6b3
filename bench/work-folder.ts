import { join } from 'node:path'
import { destroyEmbeddedDatabase } from '../src/platform/database/embedded/open-embedded-database.ts'
import { RunFolders } from './run-folders.ts'

export const dataDirOf = (folder: string): string => join(folder, 'data')

/** Its first line is the process id of PostgreSQL's main process. */
export const postmasterFileOf = (folder: string): string =>
  join(dataDirOf(folder), 'postgres', 'postmaster.pid')

/** A run that was killed could not stop its database, which may still be running. */
export const workFolders = new RunFolders('claimkeeper-bench', (folder) =>
  destroyEmbeddedDatabase(dataDirOf(folder)),
)
