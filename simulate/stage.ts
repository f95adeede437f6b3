import type { Random } from './random.ts'

/** Real servers on a real PostgreSQL, which faults are done to. */
export interface Stage {
  /** Base URLs; they stay the same when a server is killed and started again. */
  readonly urls: readonly string[]
  /** A new account with an API token. */
  newAccount(): Promise<{ token: string; userId: string }>
  /** Straight to the database, past all proxies and faults; waits until the database is there. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Ends all faults and waits until every server answers /readyz 200. */
  calm(): Promise<void>
  /** Lines that servers wrote at level error or fatal, exits that nobody asked for: findings. */
  readonly complaints: readonly string[]
  stop(): Promise<void>
}

export interface StageOptions {
  servers: number
  log: (line: string) => void
}

/** One kind of harm, which is done to a stage. */
export interface Fault<On extends Stage = Stage> {
  readonly name: string
  /** Why it cannot be done on this machine (not installed, not Linux); null where it can. */
  unavailable(): string | null
  /** Does it for as long as it takes, a few seconds, undoes it, and says in a line what was struck; null: nothing was. */
  strike(stage: On, random: Random, signal: AbortSignal): Promise<string | null>
}
