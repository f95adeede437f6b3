import { join } from 'node:path'
import pg from 'pg'
import {
  findPassword,
  SUPERUSER_PASSWORD_FILE,
} from '../../src/platform/database/embedded/embedded-folders.ts'
import { SUPERUSER } from './source/embedded.ts'

/**
 * Turns off syncs for the server of a data folder. Dropping a database waits until all dirty pages are written: with
 * hundreds of databases, that is most of the tests' time. Killed processes lose nothing; a crash of the machine
 * corrupts the folder.
 */
export async function keepNothing(dataDir: string, connectionString: string): Promise<void> {
  const url = new URL(connectionString)
  url.username = SUPERUSER
  url.password = (await findPassword(join(dataDir, 'postgres', SUPERUSER_PASSWORD_FILE))) ?? ''
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  for (const setting of ['fsync', 'full_page_writes']) await client.query(`ALTER SYSTEM SET ${setting} = off`)
  await client.query('SELECT pg_reload_conf()')
  await client.end()
}
