import { join } from 'node:path'
import pg from 'pg'
import {
  findPassword,
  SUPERUSER_PASSWORD_FILE,
} from '../../src/platform/database/embedded/embedded-folders.ts'
import { SUPERUSER } from './source/embedded.ts'

/**
 * Lets the server of a data folder leave writing to the operating system. Dropping a database waits until all that is
 * dirty is on the disk: with hundreds of them that is most of what tests wait for. Killed processes lose nothing by
 * it; after a crash of the machine the folder is worth nothing.
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
