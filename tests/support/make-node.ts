import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Binaries } from '../../src/storage/embedded/binaries.ts'
import { type RunAs, spawnAs } from '../../src/storage/embedded/machine/run-as.ts'
import { SUPERUSER } from '../../src/storage/embedded/names.ts'

/** Lines of postgresql.conf that a machine with Citus needs. */
export const CITUS_SETTINGS = `
shared_preload_libraries = 'citus'
max_prepared_transactions = 600
max_worker_processes = 32
wal_level = logical
citus.node_conninfo = 'sslmode=disable'
# What is left in doubt is settled soon.
citus.recover_2pc_interval = '5s'
`

/** The programs of a PostgreSQL that is installed, and whom they run as. */
export interface Programs {
  binaries: Binaries
  runAs: RunAs
}

/** Those of a folder. */
export async function findPrograms(folder: string): Promise<Programs> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  const { stdout } = await promisify(execFile)(postgres, ['--version'])
  return { binaries: { initdb, postgres, version: stdout.trim() }, runAs: await findUser() }
}

/** PostgreSQL does not run as root. */
async function findUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const ask = async (what: string) => Number((await promisify(execFile)('id', [what, 'postgres'])).stdout)
  return { user: { uid: await ask('-u'), gid: await ask('-g') }, prefix: [] }
}

/** In what the servers of one use differ from those of another. */
export interface NodeOptions {
  /** Words for initdb: how a client shows who it is. */
  access: readonly string[]
  /** Lines of postgresql.conf. */
  settings: string
}

/** Makes the data of a server, in a folder that it makes too. Its server is not started. */
export async function makeNode(
  { binaries, runAs }: Programs,
  dir: string,
  { access, settings }: NodeOptions,
): Promise<void> {
  await mkdir(dir, { mode: 0o700 })
  if (runAs.user) await chown(dir, runAs.user.uid, runAs.user.gid)
  const words = [`--pgdata=${dir}`, `--username=${SUPERUSER}`, ...access]
  const others = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '--no-instructions']
  const child = spawnAs(runAs, binaries.initdb, [...words, ...others], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[status], said] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : ''])
  if (status !== 0) throw new Error(`no database can be made in ${dir}: ${said}`)
  await appendFile(join(dir, 'postgresql.conf'), settings)
}
