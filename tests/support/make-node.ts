import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Binaries, type RunAs, SUPERUSER, spawnAs } from './source/embedded.ts'

/** Folders of PostgreSQL versions in Debian and Red Hat. */
const PLACES = ['/usr/lib/postgresql', '/usr']

/** The programs of an installed PostgreSQL, and their user. */
export interface Programs {
  binaries: Binaries
  runAs: RunAs
}

/** The program folder of a matching PostgreSQL. Null if none is installed. */
export function findInstalled(fits: (folder: string) => boolean): string | null {
  const folders = PLACES.filter(existsSync).flatMap((place) =>
    readdirSync(place).map((name) => join(place, name)),
  )
  const found = folders.find((folder) => existsSync(join(folder, 'bin', 'postgres')) && fits(folder))
  return found === undefined ? null : join(found, 'bin')
}

/** The programs of a folder. */
export async function findPrograms(folder: string): Promise<Programs> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  const { stdout } = await promisify(execFile)(postgres, ['--version'])
  return { binaries: { initdb, postgres, version: stdout.trim() }, runAs: await findUser() }
}

/** PostgreSQL does not run as root. */
async function findUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const idOf = async (what: string) => Number((await promisify(execFile)('id', [what, 'postgres'])).stdout)
  return { user: { uid: await idOf('-u'), gid: await idOf('-g') }, prefix: [] }
}

/** Differences between the servers of the tests. */
export interface NodeOptions {
  /** Arguments of initdb for the authentication. */
  access: readonly string[]
  /** Lines of postgresql.conf. */
  settings: string
  /** Arguments of initdb for the locale. */
  locale?: readonly string[] | undefined
}

/** Creates the folder and the data of a server. Does not start it. */
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
