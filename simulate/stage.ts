import type { Random } from './random.ts'

/** Real servers on a real PostgreSQL, with faults. */
export interface Stage {
  /** Base URLs. They stay the same when a server is killed and restarted. */
  readonly urls: readonly string[]
  /** A new account with an API token. */
  newAccount(): Promise<{ token: string; userId: string }>
  /** Queries the database directly, past proxies and faults. Waits until the database is available. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Ends all faults and waits until every server answers /readyz with 200. Throws `NotCalm` if one does not. */
  calm(): Promise<void>
  /**
   * Findings: log lines of servers at level error or fatal, and unexpected exits. A 500 has its line here, unless an
   * injected fault made the database return an error that it never returns by itself. So a 500 is an unknown outcome
   * for its client and a finding here.
   */
  readonly complaints: readonly string[]
  stop(): Promise<void>
}

/** The database is available, but the service does not recover. */
export class NotCalm extends Error {
  /** The state of servers and database. */
  readonly about: unknown

  constructor(message: string, about: unknown) {
    super(message)
    this.about = about
  }
}

/** Something that a fault needs from the start of the stage. */
export type Need =
  /** The database is on a small disk of its own, in memory. */
  | 'small disk'
  /** The servers' and the database's clocks can be set. */
  | 'clocks'
  /** The database is a Citus cluster, whose shards are on nodes of their own. */
  | 'shard nodes'

export interface StageOptions {
  servers: number
  /** Worker processes of each server. Default: 1. */
  workers?: number
  log: (line: string) => void
  /** The needs of the faults of this run: see `Fault.need`. Unavailable ones are ignored. */
  needs?: ReadonlySet<Need>
  /** Folder of PostgreSQL programs with Citus. The database is then distributed over nodes. */
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
