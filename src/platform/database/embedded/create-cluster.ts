import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../../kernel/promises.ts'
import type { Binaries } from './binaries.ts'
import { makePasswordFile, PASSWORD_FILE, SUPERUSER_PASSWORD_FILE, syncFolder } from './embedded-folders.ts'
import { isAlive } from './is-alive.ts'
import { lastErrors, withoutTime } from './postgres-log.ts'
import { type RunAs, spawnAs } from './run-as.ts'

/** The superuser of the embedded PostgreSQL. The service uses it only to administer the server. */
export const SUPERUSER = 'postgres'

const LEFTOVER = /^postgres\.new-(\d+)-[0-9a-f]+$/
/** Folders of this process: in a container, an earlier run often had the same process id. */
const beingMade = new Set<string>()

/**
 * Creates a cluster in a temporary folder and renames it, so that a killed run leaves no incomplete cluster. If another process has
 * created the cluster meanwhile, that one is kept.
 */
export async function createCluster(
  dataDir: string,
  clusterDir: string,
  binaries: Binaries,
  runAs: RunAs,
  signal: AbortSignal,
): Promise<void> {
  const name = `postgres.new-${process.pid}-${randomBytes(6).toString('hex')}`
  const temporary = join(dataDir, name)
  beingMade.add(name)
  try {
    await mkdir(temporary, { mode: 0o700 })
    if (runAs.user !== undefined) await chown(temporary, runAs.user.uid, runAs.user.gid)
    const passwordFile = join(temporary, 'password')
    await makePasswordFile(passwordFile, runAs)
    const fresh = join(temporary, 'cluster')
    await runInitdb(fresh, passwordFile, binaries, runAs, signal)
    await rename(passwordFile, join(fresh, SUPERUSER_PASSWORD_FILE))
    await makePasswordFile(join(fresh, PASSWORD_FILE), runAs)
    await syncFolder(fresh)
    await rename(fresh, clusterDir).catch(unlessTaken)
    await syncFolder(dataDir)
  } finally {
    await rm(temporary, { recursive: true, force: true })
    beingMade.delete(name)
  }
}

/** Removes incomplete clusters of killed processes, not those of running ones. */
export async function clearLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = LEFTOVER.exec(name)?.[1]
    if (pid === undefined || beingMade.has(name)) continue
    if (Number(pid) !== process.pid && isAlive(Number(pid))) continue
    // An initdb that survived its parent may still be writing. Then the next start removes the folder.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined)
  }
}

async function runInitdb(
  folder: string,
  passwordFile: string,
  binaries: Binaries,
  runAs: RunAs,
  signal: AbortSignal,
): Promise<void> {
  const args = [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  signal.throwIfAborted()
  const child = spawnAs(runAs, binaries.initdb, args, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  const giveUp = () => child.kill()
  signal.addEventListener('abort', giveUp, { once: true })
  const ended = withRejectionHandler(
    new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => resolve(code ?? signal))
    }),
  )
  const [result, output] = await Promise.all([ended, child.stderr === null ? '' : text(child.stderr)])
  signal.removeEventListener('abort', giveUp)
  signal.throwIfAborted()
  if (result === 0) return
  const reason = lastErrors(output.split('\n').map(withoutTime)) || `initdb ended with ${result}`
  throw new OperatorError(`The database could not be created in ${folder}: ${reason}`)
}

function unlessTaken(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
}
