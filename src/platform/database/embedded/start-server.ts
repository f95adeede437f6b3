import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import type { Cluster } from './cluster.ts'
import { createPatience } from './patience.ts'
import { lastWords, openLog, readLogOf } from './postgres-log.ts'
import { isPostmasterOf, readPostmasterFile } from './postmaster.ts'
import { spawnAs } from './run-as.ts'

const ORPHANS_MS = 10_000
const RETRY_MS = 50
const OTHER_PORTS = 5
const STOPPED = /received (smart|fast|immediate) shutdown request/

/**
 * Starts the cluster's server and waits until it is ready, or until it turns out that another process starts or
 * stops it too: look whether it runs. `port` demands that port. OperatorError when the server would not start.
 */
export async function startServer(cluster: Cluster, port?: number, signal?: AbortSignal): Promise<void> {
  const orphansUntil = performance.now() + ORPHANS_MS
  let preferred = port ?? (await readLastPort(cluster.dir))
  for (let portsLeft = OTHER_PORTS; ; ) {
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
      // The servants of a killed server live a moment longer than it.
      await delay(RETRY_MS, undefined, { signal })
    } else {
      throw new OperatorError(`PostgreSQL would not start: ${failure} (see ${cluster.logFile})`)
    }
  }
}

/**
 * Returns why the server failed, or undefined once it is ready or somebody stopped it (another process that used it
 * and left before we looked). The signal stops the server that is not ready yet, which may recover for long, and its
 * end is waited for: left before it shows in postmaster.pid, it would run on for nobody.
 */
async function launch(cluster: Cluster, port: number, signal?: AbortSignal): Promise<string | undefined> {
  const log = await openLog(cluster.logFile)
  const child = spawnAs(cluster.runAs, cluster.binaries.postgres, serverArguments(cluster.dir, port), {
    cwd: cluster.dir,
    env: await rivalExcuse(cluster.dir),
    // A session of its own: Ctrl-C in our terminal must not reach it.
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
  const wait = createPatience(cluster.report)
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
  return portTaken ?? (lastWords(lines) || `it ended with ${child.exitCode ?? child.signalCode}`)
}

function serverArguments(dir: string, port: number): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    // The log goes to the file that we give it, whatever the cluster's configuration says.
    'logging_collector=off',
    'log_destination=stderr',
    'log_line_prefix=%m [%p] ',
  ]
  return ['-D', dir, ...settings.flatMap((setting) => ['-c', setting])]
}

/**
 * A stale postmaster.pid whose number now belongs to another living program makes PostgreSQL refuse to start. The
 * file must stay, since it names the shared memory that tells whether orphans still write. Called its grandparent,
 * that program is no rival, and PostgreSQL goes on to that check.
 */
async function rivalExcuse(dir: string): Promise<Record<string, string>> {
  const file = await readPostmasterFile(dir)
  if (file === undefined || (await isPostmasterOf(file.pid, dir))) return {}
  return { PG_GRANDPARENT_PID: String(file.pid) }
}

/** A service that comes back after its server died needs the former port, whoever starts the server first. */
async function readLastPort(dir: string): Promise<number | undefined> {
  const options = await readFile(join(dir, 'postmaster.opts'), 'utf8').catch(() => '')
  return Number(/"port=(\d+)"/.exec(options)?.[1]) || undefined
}

/**
 * Below the range that kernels give to outgoing connections: a client that retries on a port of that range may be
 * given the very port it calls, and then meets itself there while PostgreSQL cannot have it.
 */
const LOWEST = 15_000
const HIGHEST = 32_000

/** The preferred port when it is free on 127.0.0.1, else a free one by chance. It may be taken a moment later. */
export async function findFreePort(preferred: number | undefined): Promise<number> {
  let port = preferred ?? randomInt(LOWEST, HIGHEST)
  while (!(await isFree(port))) port = randomInt(LOWEST, HIGHEST)
  return port
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
