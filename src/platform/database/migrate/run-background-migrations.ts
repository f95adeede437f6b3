import { setTimeout as pause } from 'node:timers/promises'
import { withRejectionHandler, withTimeout } from '../../../kernel/promises.ts'
import type { Lifecycle } from '../../../kernel/start-stop.ts'
import type { Job } from '../../jobs/scheduler.ts'
import type { Database } from '../database.ts'
import { BACKGROUND_MIGRATION_PAUSE_MS, MIGRATION_PROGRESS_INTERVAL_MS } from '../limits.ts'
import type { Pool } from '../pool/pool.ts'
import { SERVICE_ACCOUNT } from '../pool/pooled-connection.ts'
import { type BackgroundState, readBackgroundState, runPending } from './background-migrations.ts'
import { type Migration, OWN_MIGRATIONS } from './migration-files.ts'

/** Runs the background migrations on one of all servers. */
export class BackgroundMigrations implements Lifecycle {
  readonly #db: Database
  readonly #migrations: readonly Migration[]
  #pool: Pool | null = null
  #running: Promise<void> | null = null
  #notBefore = 0
  #isStopped = false

  constructor(db: Database, migrations = OWN_MIGRATIONS) {
    this.#db = db
    this.#migrations = migrations
  }

  /** Null if no migration is pending. */
  state(): Promise<BackgroundState | null> {
    return this.#db.reads
      .for(SERVICE_ACCOUNT)
      .withConnection((connection) => readBackgroundState(connection, this.#migrations))
  }

  /**
   * Starts the pending migrations unless they run here, and does not wait for them. Returns null if none is pending.
   * @param onError receives a failure, unless the server is stopping
   */
  async ensureRunning(onError: (error: unknown) => void): Promise<BackgroundState | null> {
    const state = await this.state()
    const isIdle = this.#running === null && performance.now() >= this.#notBefore
    if (state !== null && state.name !== null && isIdle && !this.#isStopped)
      this.#running = withRejectionHandler(this.#runHere(onError))
    return state
  }

  /**
   * Runs the pending migrations and resolves when they are done.
   * @returns false if another server runs them
   */
  async run(): Promise<boolean> {
    this.#pool = this.#db.openWithoutTimeout()
    try {
      return await runPending(this.#pool.for(SERVICE_ACCOUNT), this.#migrations)
    } finally {
      await this.#closePool()
    }
  }

  /** PostgreSQL completes the index that it builds. The next server finds the index and continues. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#closePool()
    await this.#running
  }

  async #closePool(): Promise<void> {
    const pool = this.#pool
    this.#pool = null
    await pool?.close()
  }

  async #runHere(onError: (error: unknown) => void): Promise<void> {
    try {
      await this.run()
    } catch (error) {
      if (this.#isStopped) return
      this.#notBefore = performance.now() + BACKGROUND_MIGRATION_PAUSE_MS
      onError(error)
    } finally {
      this.#running = null
    }
  }
}

/**
 * The job that keeps background migrations running after an upgrade, until all are done. A run does not wait for the migrations, which
 * may take hours. `onProgress` receives the progress at each run, and null once at the end.
 */
export function migrateInBackgroundJob(
  migrations: BackgroundMigrations,
  onProgress: (state: BackgroundState | null) => void,
  onError: (error: unknown) => void,
): Job {
  let isDone = false
  let wasPending = false
  return {
    name: 'migrating in the background',
    every: 10,
    run: async () => {
      if (isDone) return
      const state = await migrations.ensureRunning(onError)
      isDone = state === null
      if (state !== null || wasPending) onProgress(state)
      wasPending = !isDone
    },
  }
}

/**
 * Resolves when all background migrations are done, by this process or by a server. Returns the number of pending migrations that
 * this code does not know.
 * @throws the database's error
 */
export async function finishMigrations(
  migrations: BackgroundMigrations,
  onProgress: (state: BackgroundState) => void,
): Promise<number> {
  for (;;) {
    const state = await migrations.state()
    if (state === null || state.name === null) return state?.left ?? 0
    onProgress(state)
    let isOver = false
    const run = withRejectionHandler(
      migrations.run().finally(() => {
        isOver = true
      }),
    )
    while (!isOver) {
      await withTimeout(MIGRATION_PROGRESS_INTERVAL_MS, run)
      const now = isOver ? null : await migrations.state()
      if (now) onProgress(now)
    }
    // Another server runs them, or PostgreSQL still executes a statement of a server that died.
    if (!(await run)) await pause(MIGRATION_PROGRESS_INTERVAL_MS)
  }
}
