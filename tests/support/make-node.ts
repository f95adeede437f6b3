import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Binaries, type RunAs, SUPERUSER, spawnAs } from './source/embedded.ts'

/** Where Debian and Red Hat put PostgreSQL's versions. */
const PLACES = ['/usr/lib/postgresql', '/usr']

/** The programs of a PostgreSQL that is installed, and whom they run as. */
export interface Programs {
  binaries: Binaries
  runAs: RunAs
}

/** The folder of the programs of an installed PostgreSQL that fits; null if there is none on this machine. */
export function findInstalled(fits: (folder: string) => boolean): string | null {
  const folders = PLACES.filter(existsSync).flatMap((place) =>
    readdirSync(place).map((name) => join(place, name)),
  )
  const found = folders.find((folder) => existsSync(join(folder, 'bin', 'postgres')) && fits(folder))
  return found === undefined ? null : join(found, 'bin')
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
  /** Words for initdb. */
  locale?: readonly string[] | undefined
}

/** Makes the data of a server, in a folder that it makes too. Its server is not started. */
export async function makeNode(
  { binaries, runAs }: Programs,
  dir: string,
  { access, settings, locale = ['--locale=C.UTF-8'] }: NodeOptions,
): Promise<void> {
  await mkdir(dir, { mode: 0o700 })
  if (runAs.user) await chown(dir, runAs.user.uid, runAs.user.gid)
  const words = [`--pgdata=${dir}`, `--username=${SUPERUSER}`, ...access]
  const others = ['--encoding=UTF8', ...locale, '--no-sync', '--no-instructions']
  const child = spawnAs(runAs, binaries.initdb, [...words, ...others], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[status], said] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : ''])
  if (status !== 0) throw new Error(`no database can be made in ${dir}: ${said}`)
  await appendFile(join(dir, 'postgresql.conf'), settings)
}
