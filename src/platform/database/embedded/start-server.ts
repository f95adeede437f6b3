import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { MAX_PORT, MAX_PORT_ATTEMPTS, MIN_PORT, ORPHAN_RETRY_MS, ORPHAN_TIMEOUT_MS } from '../limits.ts'
import { createBoundedWait } from './bounded-wait.ts'
import type { Cluster } from './cluster.ts'
import { lastErrors, openLog, readLogOf } from './postgres-log.ts'
import { isPostmasterOf, readPostmasterFile } from './postmaster.ts'
import { spawnAs } from './run-as.ts'

const STOPPED = /received (smart|fast|immediate) shutdown request/

/**
 * Starts the server and waits until it is ready. Also returns if another process starts or stops the server meanwhile: the caller must
 * check whether it runs.
 * @param port the only acceptable port; by default the last one or a free one
 * @throws OperatorError if the server does not start
 */
export async function startServer(cluster: Cluster, port?: number, signal?: AbortSignal): Promise<void> {
  const orphansUntil = performance.now() + ORPHAN_TIMEOUT_MS
  let preferred = port ?? (await readLastPort(cluster.dir))
  for (let portsLeft = MAX_PORT_ATTEMPTS; ; ) {
    signal?.throwIfAborted()
    const failure = await launch(cluster, port ?? (await findFreePort(preferred)), signal)
    if (failure === undefined || /lock file ".*" already exists/.test(failure)) return
    if (/Address already in use/.test(failure) && port === undefined && portsLeft > 0) {
      preferred = undefined
      portsLeft -= 1
    } else if (
      /shared memory block|lock file ".*" is empty/.test(failure) &&
      performance.now() < orphansUntil
    ) {
      // Child processes of a killed server still run.
      await delay(ORPHAN_RETRY_MS, undefined, { signal })
    } else {
      throw new OperatorError(`PostgreSQL did not start: ${failure} (see ${cluster.logFile})`)
    }
  }
}

/**
 * Returns why the server failed; undefined once it is ready, or if another process has already used and stopped it. The signal stops a
 * server that is not ready yet, for example during a long recovery, and waits for its end: before its entry in postmaster.pid no later
 * process would find it.
 */
async function launch(cluster: Cluster, port: number, signal?: AbortSignal): Promise<string | undefined> {
  const log = await openLog(cluster.logFile)
  const child = spawnAs(cluster.runAs, cluster.binaries.postgres, serverArguments(cluster.dir, port), {
    cwd: cluster.dir,
    env: await staleLockEnvironment(cluster.dir),
    // A session of its own, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    stdio: ['ignore', log.file.fd, log.file.fd],
  })
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  child.unref()
  await log.file.close()
  const { pid } = child
  const wait = createBoundedWait(cluster.report)
  const giveUp = () => child.kill('SIGINT')
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  while (failure === undefined && pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const file = await readPostmasterFile(cluster.dir)
    if (file?.pid === pid && file.status === 'ready') {
      signal?.removeEventListener('abort', giveUp)
      return undefined
    }
    await wait(`PostgreSQL (process ${pid}), which is starting or recovering`)
  }
  signal?.removeEventListener('abort', giveUp)
  signal?.throwIfAborted()
  if (pid === undefined || failure !== undefined) return failure?.message ?? 'it could not be run'
  const lines = await readLogOf(pid, cluster.logFile, log.size)
  if (child.signalCode === 'SIGKILL' || lines.some((line) => STOPPED.test(line))) return undefined
  const portTaken = lines.find((line) => line.includes('Address already in use'))
  return portTaken ?? (lastErrors(lines) || `it ended with ${child.exitCode ?? child.signalCode}`)
}

function serverArguments(dir: string, port: number): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    // The log goes to standard error regardless of the cluster's configuration.
    'logging_collector=off',
    'log_destination=stderr',
    'log_line_prefix=%m [%p] ',
  ]
  return ['-D', dir, ...settings.flatMap((setting) => ['-c', setting])]
}

/**
 * PostgreSQL does not start if the process id in a stale postmaster.pid now belongs to another program. The file must stay, because it
 * names the shared memory that shows whether orphans still write. PG_GRANDPARENT_PID makes PostgreSQL ignore that program and continue
 * with the check of the shared memory.
 */
async function staleLockEnvironment(dir: string): Promise<Record<string, string>> {
  const file = await readPostmasterFile(dir)
  if (file === undefined || (await isPostmasterOf(file.pid, dir))) return {}
  return { PG_GRANDPARENT_PID: String(file.pid) }
}

/** The last port: a service whose server died reconnects to it, whichever process restarts the server. */
async function readLastPort(dir: string): Promise<number | undefined> {
  const options = await readFile(join(dir, 'postmaster.opts'), 'utf8').catch(() => '')
  return Number(/"port=(\d+)"/.exec(options)?.[1]) || undefined
}

/** The preferred port if it is free on 127.0.0.1, otherwise a random free one. Another process may take it later. */
export async function findFreePort(preferred: number | undefined): Promise<number> {
  let port = preferred ?? randomInt(MIN_PORT, MAX_PORT)
  while (!(await isFree(port))) port = randomInt(MIN_PORT, MAX_PORT)
  return port
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
