import type { BenchDatabase } from './bench-database.ts'
import { Cleanup } from './cleanup.ts'
import { Cluster } from './cluster.ts'
import type { ModelOptions } from './model/options.ts'
import { findPgbench, type Pgbench } from './pgbench.ts'
import { Progress } from './progress.ts'
import { ServerProcess } from './server-process.ts'
import type { Sizes } from './sizes.ts'

/** A database with a server on it. */
export interface Workplace {
  database: BenchDatabase
  server: ServerProcess
}

export interface BenchOptions {
  sizes: Sizes
  /** Where the temporary folder goes. */
  folder: string
  /** For Node, where it runs the servers: to profile them. */
  serverOptions: string[]
  /** Of the part abuse only these; empty for all. */
  attacks: string[]
  /** The coordinator of a Citus cluster, as a superuser; null for none. */
  citus: string | null
  /** Of the part model. */
  model: ModelOptions
}

/** What the parts share: the cluster and what was found out once for all of them. */
export class Bench {
  readonly sizes: Sizes
  readonly progress = new Progress()
  readonly cleanup = new Cleanup()
  readonly pgbench: Pgbench | null
  readonly options: BenchOptions
  readonly servers: ServerProcess[] = []
  /** A signal came: everything is being stopped. */
  isEnding = false
  readonly #onces = new Map<string, Promise<unknown>>()
  readonly #inUse = new Set<ServerProcess>()
  readonly #errorsOfStopped: string[] = []
  #sets = 0

  constructor(options: BenchOptions) {
    this.options = options
    this.sizes = options.sizes
    this.pgbench = options.sizes.hasYardstick ? findPgbench() : null
  }

  /** The result of the first call under this key, for every call. */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#onces.has(key)) this.#onces.set(key, work())
    return this.#onces.get(key) as Promise<T>
  }

  get hasCluster(): boolean {
    return this.#onces.has('cluster')
  }

  cluster(): Promise<Cluster> {
    return this.once('cluster', () => {
      this.progress.doing('starting PostgreSQL')
      return Cluster.start(this.options.folder, this.cleanup)
    })
  }

  /** Where events are submitted. */
  async main(): Promise<Workplace> {
    const workplace = await this.once('main', async () => {
      const database = await (await this.cluster()).createDatabase('bench_main')
      return { database, server: await this.startServer(database) }
    })
    this.#inUse.add(workplace.server)
    return workplace
  }

  /** Of the main server since the last call, in MB; undefined where nobody used it. */
  takePeakMb(): number | null | undefined {
    const [server] = this.#inUse
    this.#inUse.clear()
    return server?.takePeakMb()
  }

  async startServer(database: BenchDatabase): Promise<ServerProcess> {
    this.progress.doing('starting the server')
    const server = await ServerProcess.start(database, this.options.serverOptions, this.cleanup)
    this.servers.push(server)
    return server
  }

  async stopServer(server: ServerProcess): Promise<void> {
    this.servers.splice(this.servers.indexOf(server), 1)
    await server.stop()
    this.#errorsOfStopped.push(...server.takeErrors())
  }

  /** Errors in the servers' logs since the last call. */
  takeServerErrors(): string[] {
    const errors = this.#errorsOfStopped.splice(0)
    return [...errors, ...this.servers.flatMap((server) => server.takeErrors())]
  }

  /** A number that no set of claims has had. */
  nextSet(): number {
    return ++this.#sets
  }
}
