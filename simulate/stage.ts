import type { Random } from './random.ts'

/** Real servers on a real PostgreSQL, which faults are done to. */
export interface Stage {
  /** Base URLs; they stay the same when a server is killed and started again. */
  readonly urls: readonly string[]
  /** A new account with an API token. */
  newAccount(): Promise<{ token: string; userId: string }>
  /** Straight to the database, past all proxies and faults; waits until the database is there. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Ends all faults and waits until every server answers /readyz 200; `NotCalm` where one never does. */
  calm(): Promise<void>
  /**
   * Lines that servers wrote at level error or fatal, exits that nobody asked for: findings. An answer of 500 has its
   * line here unless an injected fault made the database refuse what it never refuses by itself: so a 500 is an unknown
   * outcome to its client, and a finding here.
   */
  readonly complaints: readonly string[]
  stop(): Promise<void>
}

/** The database is as it should be, and the service does not come back. */
export class NotCalm extends Error {
  /** How servers and database stand. */
  readonly about: unknown

  constructor(message: string, about: unknown) {
    super(message)
    this.about = about
  }
}

/** What a fault must find prepared from the start. */
export type Need =
  /** The database is on a small disk of its own, in memory. */
  | 'small disk'
  /** The servers' and the database's clocks can be set. */
  | 'clocks'
  /** The database is a Citus cluster, whose shards are on nodes of their own. */
  | 'shard nodes'

export interface StageOptions {
  servers: number
  /** Processes of each that answer; 1 by default. */
  workers?: number
  log: (line: string) => void
  /** What the faults of this run need; see `Fault.need`. Those that are unavailable need nothing. */
  needs?: ReadonlySet<Need>
  /** The folder of a PostgreSQL's programs, with Citus: the database is then distributed over nodes. */
  citus?: string | undefined
  /** The script that the servers run, with `serve`; by default dist/main.js. */
  program?: string
  /** The size of the small disk; what a run stores must have room on it. */
  diskMebibytes?: number
  /** Where the temporary data go. */
  folder?: string
}

/** One kind of harm, which is done to a stage. */
export interface Fault<On extends Stage = Stage> {
  readonly name: string
  readonly need?: Need
  /** It strikes around the moment of a scheduled check, and only where that is soon. */
  readonly atCheck?: boolean
  /** Why it cannot be done on this machine (not installed, not Linux); null where it can. */
  unavailable(): string | null
  /** Does it for as long as it takes, a few seconds, undoes it, and says in a line what was struck; null: nothing was. */
  strike(stage: On, random: Random, signal: AbortSignal): Promise<string | null>
}
