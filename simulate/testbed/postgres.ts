import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Cleanup } from '../../bench/cleanup.ts'
import { type Cluster, prepareCluster } from '../../src/platform/database/embedded/cluster.ts'
import { openEmbeddedDatabase } from '../../src/platform/database/embedded/open-embedded-database.ts'
import { findPostmaster, hasEnded } from '../../src/platform/database/embedded/postmaster.ts'
import { isTransientFailure } from '../../src/platform/database/embedded/session.ts'
import { startServer } from '../../src/platform/database/embedded/start-server.ts'
import { removeStaleSharedMemory } from './clock.ts'
import { killPostgres } from './kill-postgres.ts'

const TIMEOUT_MS = 60_000
/** For a start with recovery. */
const START_TIMEOUT_MS = 120_000
/** For the end, when no data has to be kept. */
const CLOSE_TIMEOUT_MS = 10_000
const RETRY_MS = 100
/** Characters of the log's end. */
const LOG_TAIL_CHARACTERS = 4_000

/** Signals of the shutdown modes. After SIGKILL its sessions live on for a moment. */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', killed: 'SIGKILL' } as const

/** A PostgreSQL of the testbed, on the same port for its lifetime. Faults stop and start it. */
export class Postgres {
  /** Process id of the last main process. Null after a stop. */
  lastPid: number | null = null
  /** URL with the service's role. */
  readonly url: string
  readonly #superuserUrl: string
  readonly #cluster: Cluster
  readonly #port: number
  #tail: Promise<unknown> = Promise.resolve()
  readonly #superuser: pg.Pool
  /** Environment of its process, for the dynamic loader. */
  readonly #environment: Record<string, string>

  private constructor(cluster: Cluster, url: string, password: string, environment: Record<string, string>) {
    this.url = url
    this.#superuserUrl = superuserUrl(url, password)
    this.#cluster = cluster
    this.#port = Number(new URL(url).port)
    this.#environment = environment
    // Two of the connections that PostgreSQL reserves for superusers, so that they work on a full server.
    this.#superuser = new pg.Pool({
      connectionString: this.#superuserUrl,
      max: 2,
      connectionTimeoutMillis: 5_000,
    })
    this.#superuser.on('error', () => {})
    this.#superuser.on('connect', (client) => client.on('error', () => {}))
  }

  static async create(
    dataDir: string,
    environment: Record<string, string>,
    cleanup: Cleanup,
  ): Promise<Postgres> {
    const first = await openEmbeddedDatabase({ dataDir, role: 'command', report: () => {} })
    await first.release()
    const cluster = await prepareCluster(dataDir, () => {}, new AbortController().signal)
    const password = (await readFile(join(cluster.dir, 'superuser.password'), 'utf8')).trim()
    return Postgres.run(cluster, first.connectionString, password, environment, cleanup)
  }

  /** Starts an existing cluster. The password is the superuser's. */
  static async run(
    cluster: Cluster,
    url: string,
    password: string,
    environment: Record<string, string>,
    cleanup: Cleanup,
  ): Promise<Postgres> {
    const postgres = new Postgres(cluster, url, password, environment)
    cleanup.add(() => postgres.#close())
    await postgres.start()
    return postgres
  }

  /** Process id of the main process. Null while it does not run. */
  async pid(): Promise<number | null> {
    return (await findPostmaster(this.#cluster.dir))?.pid ?? null
  }

  /** Serializes stops and starts. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(work)
    this.#tail = mine.catch(() => {})
    return mine
  }

  /** Starts it if it does not run. Kills it and throws if it is not ready after two minutes. */
  async start(): Promise<void> {
    if ((await this.pid()) !== null) return
    removeStaleSharedMemory()
    const cluster = { ...this.#cluster, runAs: withEnvironment(this.#cluster.runAs, this.#environment) }
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      void killPostgres(cluster.dir)
    }, START_TIMEOUT_MS)
    await startServer(cluster, this.#port).finally(() => clearTimeout(late))
    if (isLate) throw new Error(`PostgreSQL was not ready ${START_TIMEOUT_MS / 1000} s after its start`)
    this.lastPid = await this.pid()
  }

  /** Returns whether it ran. */
  async stop(how: keyof typeof SIGNALS, timeoutMs = TIMEOUT_MS): Promise<boolean> {
    const pid = await this.pid()
    if (pid === null) return false
    process.kill(pid, SIGNALS[how])
    if (!(await hasEnded(pid, this.#cluster.dir, timeoutMs))) throw new Error('PostgreSQL does not stop')
    this.lastPid = null
    return true
  }

  /** As superuser, once the database is available. Repeats a statement after a lost connection. */
  async sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      try {
        return (await this.#superuser.query({ text, values })).rows as Row[]
      } catch (error) {
        if (!(isTransientFailure(error) || isCausedByFault(error)) || performance.now() > deadline)
          throw error
      }
      await pause(RETRY_MS)
    }
  }

  /** A connection with the service's role. */
  connect(): Promise<pg.Client> {
    return this.#connect(this.url)
  }

  connectAsSuperuser(): Promise<pg.Client> {
    return this.#connect(this.#superuserUrl)
  }

  async #connect(connectionString: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** The end of the log. */
  async logTail(): Promise<string> {
    return (await readFile(this.#cluster.logFile, 'utf8').catch(String)).slice(-LOG_TAIL_CHARACTERS)
  }

  /** Counts matching log lines until the returned function is called. */
  async watchLog(pattern: RegExp): Promise<() => Promise<number>> {
    const { logFile } = this.#cluster
    const { size } = await stat(logFile)
    return async () => {
      // A start may have rotated the log.
      const start = (await stat(logFile)).size < size ? 0 : size
      const written = await text(createReadStream(logFile, { start }))
      return written.match(new RegExp(pattern, 'g'))?.length ?? 0
    }
  }

  async #close(): Promise<void> {
    await Promise.race([this.#superuser.end(), pause(1_000)])
    await this.stop('immediate', CLOSE_TIMEOUT_MS).catch(() => killPostgres(this.#cluster.dir))
  }
}

/** The same database as superuser. */
export function superuserUrl(url: string, password: string): string {
  const superuser = new URL(url)
  superuser.username = 'postgres'
  superuser.password = password
  return superuser.href
}

/** An error that a fault causes in a statement of the testbed: full disk, disk error, deadlock, lock. */
const isCausedByFault = (error: unknown) =>
  /^(?:40|53|55P03|57014|58)/.test(String((error as { code?: unknown }).code))

/** Runs programs with these variables in an otherwise clean environment. */
function withEnvironment(runAs: Cluster['runAs'], environment: Record<string, string>): Cluster['runAs'] {
  const words = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  if (words.length === 0) return runAs
  const { user, prefix } = runAs
  // With a prefix, the prefix sets the program's user.
  const become = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'] : []
  return { user, prefix: [...(prefix.length > 0 ? prefix : become), 'env', ...words] }
}
