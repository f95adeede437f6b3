import { join } from 'node:path'
import { destroyEmbeddedDatabase } from '../src/platform/database/embedded/open-embedded-database.ts'
import { RunFolders } from './run-folders.ts'

export const dataDirOf = (folder: string): string => join(folder, 'data')

/** Its first line is the process id of PostgreSQL's main process. */
export const postmasterFileOf = (folder: string): string =>
  join(dataDirOf(folder), 'postgres', 'postmaster.pid')

/** The database of a killed run may still be running. It is stopped before the folder is removed. */
export const workFolders = new RunFolders('claimkeeper-bench', (folder) =>
  destroyEmbeddedDatabase(dataDirOf(folder)),
)
