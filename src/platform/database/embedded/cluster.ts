import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { type Binaries, findBinaries, majorVersion } from './binaries.ts'
import { clearLeftovers, createCluster } from './create-cluster.ts'
import { findPassword, makeFolder, PASSWORD_FILE, PGPASS_FILE, replaceSecret } from './embedded-folders.ts'
import { chooseRunAs, type RunAs } from './run-as.ts'

/** The name of the service's database and of its owner. */
export const DATABASE = 'claimkeeper'

/** A prepared data folder: everything that is needed to start, find and connect to its PostgreSQL. */
export interface Cluster {
  /** The path as the caller wrote it, for messages. */
  readonly dataDir: string
  /** The real path of PostgreSQL's own folder. */
  readonly dir: string
  readonly logFile: string
  /** The password of the service's role. */
  readonly password: string
  readonly binaries: Binaries
  readonly runAs: RunAs
  readonly report: (step: string) => void
}

/** Creates nothing. @throws OperatorError if the data folder has no database */
export async function requireCluster(dataDir: string): Promise<void> {
  if (!(await isVacant(join(dataDir, 'postgres')).catch(() => false))) return
  throw new OperatorError(
    `There is no database of Claimkeeper in ${resolve(dataDir)}. Set CLAIMKEEPER_DATA_DIR to the data folder of the service, or DATABASE_URL to its database. Only serve and migrate create a database.`,
  )
}

/** Finds or creates the cluster in the data folder. @throws OperatorError if the folder cannot be used */
export async function prepareCluster(
  dataDir: string,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const binaries = await findBinaries()
  try {
    return await prepare(dataDir, binaries, report, signal)
  } catch (error) {
    if (signal.aborted || error instanceof OperatorError || !('code' in (error as object))) throw error
    throw new OperatorError(
      `Cannot use the data folder ${dataDir} (${(error as Error).message}): make it a folder that this user can write, or set CLAIMKEEPER_DATA_DIR.`,
      { cause: error },
    )
  }
}

async function prepare(
  dataDir: string,
  binaries: Binaries,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const folder = await makeDataDir(dataDir)
  const place = join(folder, 'postgres')
  await clearLeftovers(folder)
  const home = dirname(await realpath(place).catch(() => place))
  const runAs = await chooseRunAs(home, place, binaries)
  if (await isVacant(place)) {
    report(`Creating the database under ${join(dataDir, 'postgres')}`)
    await createCluster(folder, place, binaries, runAs, signal)
  }
  const dir = await realpath(place)
  await changeOwnerFromRoot(dir, runAs)
  await checkMajorVersion(dir, dataDir, binaries)
  const password = await readPassword(dir)
  await ensurePgpass(dir, password, runAs)
  return { dataDir, dir, logFile: join(folder, 'postgres.log'), password, binaries, runAs, report }
}

async function makeDataDir(dataDir: string): Promise<string> {
  const isNew = await makeFolder(dataDir)
  // With root's umask, PostgreSQL's user might not be able to enter the folder. Secret files in it have modes of their own.
  if (isNew && process.getuid?.() === 0) await chmod(dataDir, 0o755)
  return await realpath(dataDir)
}

/** Whether the path is missing or an empty folder: a rename can replace both. */
async function isVacant(place: string): Promise<boolean> {
  try {
    return (await readdir(place)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}

/** A data folder that root copied belongs to root. PostgreSQL requires that its user owns the files. */
async function changeOwnerFromRoot(dir: string, runAs: RunAs): Promise<void> {
  if (runAs.user === undefined || (await stat(dir)).uid !== 0) return
  const owner = `${runAs.user.uid}:${runAs.user.gid}`
  await promisify(execFile)('chown', ['-R', '-h', owner, dir])
  await chmod(dir, 0o700)
}

async function checkMajorVersion(dir: string, dataDir: string, binaries: Binaries): Promise<void> {
  const found = (await readOrExplain(join(dir, 'PG_VERSION'), dir)).trim()
  if (found === majorVersion(binaries.version)) return
  throw new OperatorError(
    `The data folder ${dataDir} was created by PostgreSQL ${found}, and this is PostgreSQL ${binaries.version}. Set CLAIMKEEPER_DATA_DIR to another folder, or use the old folder with its own version.`,
  )
}

async function readPassword(dir: string): Promise<string> {
  const password = (await readOrExplain(join(dir, PASSWORD_FILE), dir)).trim()
  if (password === '') throw new OperatorError(`The password file ${join(dir, PASSWORD_FILE)} is empty.`)
  return password
}

/** Writes the password file for tools such as pg_dump. */
async function ensurePgpass(dir: string, password: string, runAs: RunAs): Promise<void> {
  const line = `127.0.0.1:*:*:${DATABASE}:${password}`
  const place = join(dir, PGPASS_FILE)
  if ((await findPassword(place)) !== line) await replaceSecret(place, `${line}\n`, runAs)
}

async function readOrExplain(path: string, dir: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new OperatorError(
      `${dir} is not a database of Claimkeeper (no ${path.slice(dir.length + 1)} in it): move it away, or set CLAIMKEEPER_DATA_DIR.`,
      { cause: error },
    )
  }
}
