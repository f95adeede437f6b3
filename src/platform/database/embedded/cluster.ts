import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { type Binaries, DATABASE, findBinaries, majorVersion } from './binaries.ts'
import { clearLeftovers, createCluster } from './create-cluster.ts'
import { findPassword, makeFolder, PASSWORD_FILE, PGPASS_FILE, replaceSecret } from './embedded-folders.ts'
import { chooseRunAs, type RunAs } from './run-as.ts'

/** A data folder made ready: what it takes to start, find and enter its PostgreSQL. */
export interface Cluster {
  /** As the caller wrote it, for messages. */
  readonly dataDir: string
  /** Real path of PostgreSQL's own folder. */
  readonly dir: string
  readonly logFile: string
  /** Of the service's role. */
  readonly password: string
  readonly binaries: Binaries
  readonly runAs: RunAs
  readonly report: (step: string) => void
}

/** OperatorError if nobody has made a database under the data folder yet; then nothing is made there. */
export async function requireCluster(dataDir: string): Promise<void> {
  if (!(await isVacant(join(dataDir, 'postgres')).catch(() => false))) return
  throw new OperatorError(
    `There is no database of Claimkeeper in ${resolve(dataDir)}: set CLAIMKEEPER_DATA_DIR to the server’s data folder, or DATABASE_URL to its database. Only serve and migrate make a new one.`,
  )
}

/** Finds the cluster under the data folder or makes it. OperatorError when the folder cannot serve. */
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
  await takeFromRoot(dir, runAs)
  await checkMajorVersion(dir, dataDir, binaries)
  const password = await readPassword(dir)
  await ensurePgpass(dir, password, runAs)
  return { dataDir, dir, logFile: join(folder, 'postgres.log'), password, binaries, runAs, report }
}

async function makeDataDir(dataDir: string): Promise<string> {
  const isNew = await makeFolder(dataDir)
  // Root's umask may close the folder to the user that PostgreSQL runs as; what is secret in it has its own mode.
  if (isNew && process.getuid?.() === 0) await chmod(dataDir, 0o755)
  return await realpath(dataDir)
}

/** A rename takes the place of nothing or of an empty folder. */
async function isVacant(place: string): Promise<boolean> {
  try {
    return (await readdir(place)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}

/** A data folder copied by root lost its owner; PostgreSQL serves only files of its own user. */
async function takeFromRoot(dir: string, runAs: RunAs): Promise<void> {
  if (runAs.user === undefined || (await stat(dir)).uid !== 0) return
  const owner = `${runAs.user.uid}:${runAs.user.gid}`
  await promisify(execFile)('chown', ['-R', '-h', owner, dir])
  await chmod(dir, 0o700)
}

async function checkMajorVersion(dir: string, dataDir: string, binaries: Binaries): Promise<void> {
  const found = (await readOrExplain(join(dir, 'PG_VERSION'), dir)).trim()
  if (found === majorVersion(binaries.version)) return
  throw new OperatorError(
    `The data folder ${dataDir} was made by PostgreSQL ${found} and this is PostgreSQL ${binaries.version}: set CLAIMKEEPER_DATA_DIR to another folder, or serve the old one with its own version.`,
  )
}

async function readPassword(dir: string): Promise<string> {
  const password = (await readOrExplain(join(dir, PASSWORD_FILE), dir)).trim()
  if (password === '') throw new OperatorError(`The password file ${join(dir, PASSWORD_FILE)} is empty.`)
  return password
}

/** For pg_dump and its like. */
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
