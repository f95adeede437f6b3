import { withRejectionHandler } from '../../../kernel/promises.ts'
import type { Lifecycle } from '../../../kernel/start-stop.ts'
import type { Database } from '../database.ts'
import type { Pool } from '../pool/pool.ts'
import { SERVICE } from '../pool/pooled-connection.ts'
import { type BackgroundState, readBackgroundState, runWaiting } from './background-migrations.ts'
import { type Migration, OWN_MIGRATIONS } from './migration-files.ts'

export type { BackgroundState }

/** Those that failed are tried again so much later: an index that cannot be made would be made again and again. */
const PAUSE_AFTER_FAILURE_MS = 300_000

/** Runs the migrations that were left to the background, on one server of all. */
export class BackgroundMigrations implements Lifecycle {
  readonly #db: Database
  readonly #migrations: readonly Migration[]
  #pool: Pool | null = null
  #underWay: Promise<void> | null = null
  #notBefore = 0
  #hasStopped = false

  constructor(db: Database, migrations = OWN_MIGRATIONS) {
    this.#db = db
    this.#migrations = migrations
  }

  /** Null if none is left. */
  state(): Promise<BackgroundState | null> {
    return this.#db.reads
      .for(SERVICE)
      .withConnection((connection) => readBackgroundState(connection, this.#migrations))
  }

  /**
   * Sees to it that they run, here or on another server, and does not wait for that. Null if none is left.
   * @param onError hears why they failed; that a server stops is no failure
   */
  async lookAfter(onError: (error: unknown) => void): Promise<BackgroundState | null> {
    const state = await this.state()
    const isIdle = this.#underWay === null && performance.now() >= this.#notBefore
    if (state !== null && state.name !== null && isIdle && !this.#hasStopped)
      this.#underWay = withRejectionHandler(this.#runHere(onError))
    return state
  }

  /**
   * Runs them here, and resolves when they are done.
   * @returns false if another server is at it
   */
  async run(): Promise<boolean> {
    this.#pool = this.#db.openUnhurried()
    try {
      return await runWaiting(this.#pool.for(SERVICE), this.#migrations)
    } finally {
      await this.#leaveDatabase()
    }
  }

  /** What PostgreSQL is building it goes on building, and the next server finds it done. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    await this.#leaveDatabase()
    await this.#underWay
  }

  async #leaveDatabase(): Promise<void> {
    const pool = this.#pool
    this.#pool = null
    await pool?.close()
  }

  async #runHere(onError: (error: unknown) => void): Promise<void> {
    try {
      await this.run()
    } catch (error) {
      if (this.#hasStopped) return
      this.#notBefore = performance.now() + PAUSE_AFTER_FAILURE_MS
      onError(error)
    } finally {
      this.#underWay = null
    }
  }
}
