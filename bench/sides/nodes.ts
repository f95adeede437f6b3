import type pg from 'pg'
import { joinNodes, nodesOfCluster, onEachNode, urlOfDatabase } from '../../tests/support/database-nodes.ts'
import { dropDatabase } from '../../tests/support/drop-database.ts'
import { connect } from '../bench-database.ts'
import type { Cleanup } from '../cleanup.ts'
import { familyCpuMsOf, isPostgres } from '../process-figures.ts'

const THIS_MACHINE = /^(localhost|127\..*|\[::1\])$/

interface Node {
  url: string
  /** A superuser's connection to the database `postgres`. */
  admin: pg.Client
  /** Process id. Null on another machine, whose CPU times are not available. */
  postmaster: number | null
}

/** CPU time in milliseconds. Null if the system does not report it. */
export interface NodesCpu {
  coordinator: number | null
  workers: number | null
}

/** Superuser access to the PostgreSQL servers: one server, or all servers of a Citus cluster. */
export class Nodes {
  readonly #nodes: readonly Node[]

  private constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
  }

  /** All servers of a cluster. The URL of the coordinator must have a superuser. */
  static async ofCluster(coordinator: string, cleanup: Cleanup): Promise<Nodes> {
    return Nodes.of(await nodesOfCluster(coordinator), cleanup)
  }

  /** The first URL is the coordinator. */
  static async of(urls: readonly string[], cleanup: Cleanup): Promise<Nodes> {
    return new Nodes(await Promise.all(urls.map((url) => open(url, cleanup))))
  }

  /** Number of servers with shards of claims. */
  get workers(): number {
    return this.#nodes.length - 1
  }

  /** Creates a database on the coordinator or on all servers. The clean-up drops it. Returns its URL. */
  async createDatabase(name: string, on: 'coordinator' | 'all', cleanup: Cleanup): Promise<string> {
    const urls = this.#nodes.map(({ url }) => url).slice(0, on === 'all' ? this.#nodes.length : 1)
    cleanup.add(() => onEachNode(urls, (client) => dropAlone(client, name)))
    await onEachNode(urls, async (client) => {
      await eachByItself(client)
      await client.query(`CREATE DATABASE ${name}`)
    })
    if (on === 'all') await joinNodes(urls, name)
    return urlOfDatabase(urls[0] as string, name)
  }

  cpuMs(): NodesCpu {
    const [coordinator, ...workers] = this.#nodes.map(({ postmaster }) =>
      postmaster === null ? null : familyCpuMsOf(postmaster),
    )
    const isKnown = workers.every((ms) => ms !== null)
    return {
      coordinator: coordinator ?? null,
      workers: isKnown ? workers.reduce<number>((sum, ms) => sum + Number(ms), 0) : null,
    }
  }

  /** Bytes of write-ahead log of all servers so far. */
  async walBytes(): Promise<number> {
    const rows = await this.#onEach<{ bytes: string }>(
      "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes",
    )
    return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  }

  /** Committed transactions of a database so far, on the coordinator. */
  async transactions(database: string): Promise<number> {
    const { rows } = await (this.#nodes[0] as Node).admin.query<{ count: string }>(
      'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = $1',
      [database],
    )
    return Number(rows[0]?.count)
  }

  async checkpoint(): Promise<void> {
    await this.#onEach('CHECKPOINT')
  }

  /** A summary for readers. */
  async describe(): Promise<string> {
    const [row] = await this.#onEach<{ version: string; citus: string | null }>(
      `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        (SELECT installed_version FROM pg_available_extensions WHERE name = 'citus') AS citus`,
    )
    const citus = row?.citus ? `, Citus ${row.citus} with ${this.workers} workers` : ''
    return `PostgreSQL ${row?.version}${citus}`
  }

  async #onEach<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const results = await Promise.all(this.#nodes.map(({ admin }) => admin.query<Row>(text)))
    return results.flatMap(({ rows }) => rows)
  }
}

async function open(url: string, cleanup: Cleanup): Promise<Node> {
  const admin = await connect(urlOfDatabase(url, 'postgres'), cleanup)
  if (!THIS_MACHINE.test(new URL(url).hostname)) return { url, admin, postmaster: null }
  const { rows } = await admin.query<{ file: string }>("SELECT pg_read_file('postmaster.pid') AS file")
  const pid = Number.parseInt(rows[0]?.file ?? '', 10)
  // In a container the process id is not valid on this machine.
  return { url, admin, postmaster: isPostgres(pid) ? pid : null }
}

async function dropAlone(client: pg.Client, name: string): Promise<void> {
  await eachByItself(client)
  await dropDatabase(client, name)
}

/** Citus would otherwise create and drop databases on the other servers too. */
async function eachByItself(client: pg.Client): Promise<void> {
  await client.query('SET citus.enable_create_database_propagation = off')
}
