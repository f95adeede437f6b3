import type { BenchDatabase } from './bench-database.ts'
import { Cleanup } from './cleanup.ts'
import { Cluster } from './cluster.ts'
import type { ModelOptions } from './model/options.ts'
import { findPgbench, type Pgbench } from './pgbench.ts'
import { Progress } from './progress.ts'
import { ServerProcess } from './server-process.ts'
import type { Sizes } from './sizes.ts'

/** A database and a server that uses it. */
export interface ServiceInstance {
  database: BenchDatabase
  server: ServerProcess
}

export interface BenchOptions {
  sizes: Sizes
  /** Parent of the temporary folder. */
  folder: string
  /** Options of Node for the servers, for profiling. */
  serverOptions: string[]
  /** Attacks of the part abuse. Empty for all. */
  attacks: string[]
  /** URL of the coordinator of a Citus cluster, with a superuser. Null for none. */
  citus: string | null
  /** Options of the part model. */
  model: ModelOptions
}

/** State that the parts share: the cluster, the servers and memoized results. */
export class Bench {
  readonly sizes: Sizes
  readonly progress = new Progress()
  readonly cleanup = new Cleanup()
  readonly pgbench: Pgbench | null
  readonly options: BenchOptions
  readonly servers: ServerProcess[] = []
  /** Set by a signal: everything is being stopped. */
  isStopping = false
  readonly #memoized = new Map<string, Promise<unknown>>()
  readonly #inUse = new Set<ServerProcess>()
  readonly #stoppedServerErrors: string[] = []
  #lastSet = 0

  constructor(options: BenchOptions) {
    this.options = options
    this.sizes = options.sizes
    this.pgbench = options.sizes.hasYardstick ? findPgbench() : null
  }

  /** Memoizes the result of the first call with this key. */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#memoized.has(key)) this.#memoized.set(key, work())
    return this.#memoized.get(key) as Promise<T>
  }

  get hasCluster(): boolean {
    return this.#memoized.has('cluster')
  }

  cluster(): Promise<Cluster> {
    return this.once('cluster', () => {
      this.progress.doing('starting PostgreSQL')
      return Cluster.start(this.options.folder, this.cleanup)
    })
  }

  /** The instance that most parts use. */
  async main(): Promise<ServiceInstance> {
    const instance = await this.once('main', async () => {
      const database = await (await this.cluster()).createDatabase('bench_main')
      return { database, server: await this.startServer(database) }
    })
    this.#inUse.add(instance.server)
    return instance
  }

  /** Peak memory of the main server since the last call, in MB. Undefined if no part used it. */
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
    this.#stoppedServerErrors.push(...server.takeErrors())
  }

  /** Errors in the servers' logs since the last call. */
  takeServerErrors(): string[] {
    const errors = this.#stoppedServerErrors.splice(0)
    return [...errors, ...this.servers.flatMap((server) => server.takeErrors())]
  }

  /** An unused number for a set of claims. */
  nextSet(): number {
    return ++this.#lastSet
  }
}
