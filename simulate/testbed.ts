import type { Random } from './random.ts'

/** A test bed: servers on PostgreSQL, with fault injection. */
export interface Testbed {
  /** Base URLs. They stay the same when a server is killed and restarted. */
  readonly urls: readonly string[]
  /** A new account with an API token. */
  newAccount(): Promise<{ token: string; userId: string }>
  /** Queries the database directly, past proxies and faults. Waits until the database is available. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Ends all faults and waits until every server answers /readyz with 200. Throws `RecoveryError` if one does not. */
  recover(): Promise<void>
  /**
   * Findings: log lines of servers at level error or fatal, and unexpected exits. A 500 has its line here, unless an
   * injected fault made the database return an error that it never returns by itself. So a 500 is an unknown outcome
   * for its client and a finding here.
   */
  readonly serverErrors: readonly string[]
  stop(): Promise<void>
}

/** The database is available, but the service does not recover. */
export class RecoveryError extends Error {
  /** The state of servers and database. */
  readonly about: unknown

  constructor(message: string, about: unknown) {
    super(message)
    this.about = about
  }
}

/** Something that a fault requires from the start of the testbed. */
export type Requirement =
  /** The database is on a small disk of its own, in memory. */
  | 'small disk'
  /** The servers' and the database's clocks can be set. */
  | 'clocks'
  /** The database is a Citus cluster with the shards on other nodes than the coordinator. */
  | 'shard nodes'

export interface TestbedOptions {
  servers: number
  /** Worker processes of each server. Default: 1. */
  workers?: number
  log: (line: string) => void
  /** The requirements of the faults of this run: see `Fault.requires`. Unavailable ones are ignored. */
  requirements?: ReadonlySet<Requirement>
  /** Folder of PostgreSQL programs with Citus. The database is then distributed over nodes. */
  citus?: string | undefined
  /** The script of the servers. Default: dist/main.js. */
  program?: string
  /** Size of the small disk. The data of the run must fit. */
  diskMebibytes?: number
  /** Folder for temporary data. */
  folder?: string
}

/** A kind of fault. */
export interface Fault<On extends Testbed = Testbed> {
  readonly name: string
  readonly requires?: Requirement
  /** Injected around a scheduled check, and only shortly before one. */
  readonly atCheck?: boolean
  /** Why this machine cannot inject it, such as a missing program. Null if it can. */
  unavailable(): string | null
  /** Injects the fault for up to a few seconds and ends it. Returns a description, or null if it had no effect. */
  inject(testbed: On, random: Random, signal: AbortSignal): Promise<string | null>
}
