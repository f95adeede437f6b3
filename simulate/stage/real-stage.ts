import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../../bench/cleanup.ts'
import { hashToken, newToken } from '../../src/accounts/tokens/api-token.ts'
import type { SmallDisk } from '../../tests/support/small-disk.ts'
import { NotCalm, type Stage } from '../stage.ts'
import type { Clock } from './clock.ts'
import type { Postgres } from './postgres.ts'
import type { Server } from './server.ts'

const CALM_PATIENCE_MS = 120_000
const ASK_PATIENCE_MS = 10_000
/** For prepared transactions, which Citus recovers every 5 s. */
const CERTAIN_PATIENCE_MS = 60_000
/** Transactions that are prepared for longer than a commit takes without faults. */
const PREPARED =
  "SELECT gid, prepared FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '1 second'"

interface Parts {
  postgres: Postgres
  shardNodes: readonly Postgres[]
  servers: readonly Server[]
  /** Null unless the stage was opened with it. */
  disk: SmallDisk | null
  clocks: { database: Clock; servers: readonly Clock[] } | null
  complaints: readonly string[]
  /** The script of the servers. */
  program: string
  cleanup: Cleanup
  log: (line: string) => void
}

/** The stage as faults use it. */
export class RealStage implements Stage {
  readonly urls: readonly string[]
  readonly complaints: readonly string[]
  readonly postgres: Postgres
  /** The nodes with shards of a Citus cluster, whose coordinator is `postgres`. Empty without Citus. */
  readonly shardNodes: readonly Postgres[]
  readonly servers: readonly Server[]
  readonly disk: SmallDisk | null
  readonly clocks: Parts['clocks']
  readonly program: string
  readonly log: (line: string) => void
  readonly #cleanup: Cleanup
  readonly #undos = new Set<() => Promise<void>>()

  constructor({ postgres, shardNodes, servers, disk, clocks, complaints, program, cleanup, log }: Parts) {
    this.urls = servers.map(({ front }) => front.url)
    this.complaints = complaints
    this.postgres = postgres
    this.shardNodes = shardNodes
    this.servers = servers
    this.disk = disk
    this.clocks = clocks
    this.program = program
    this.log = log
    this.#cleanup = cleanup
  }

  async newAccount(): Promise<{ token: string; userId: string }> {
    const [userId, tokenId, token] = [randomUUID(), randomUUID(), newToken()]
    // Each statement may run twice, if the connection was lost.
    await this.sql(
      'INSERT INTO users (id, email, created_at) VALUES ($1, $2, now()) ON CONFLICT (id) DO NOTHING',
      [userId, `${userId}@localhost`],
    )
    await this.sql(
      `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
       VALUES ($1, $2, 'simulator', $3, now()) ON CONFLICT (id) DO NOTHING`,
      [tokenId, userId, hashToken(token)],
    )
    return { token, userId }
  }

  sql<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.postgres.sql(text, values)
  }

  /** Starts all nodes of a cluster. Running ones stay unchanged. */
  async startDatabase(): Promise<void> {
    await Promise.all([this.postgres, ...this.shardNodes].map((node) => node.start()))
  }

  /** Registers the end of a fault. The returned function ends it early. */
  untilCalm(undo: () => unknown): () => Promise<void> {
    const own = async () => {
      if (this.#undos.delete(own)) await undo()
    }
    this.#undos.add(own)
    return own
  }

  async calm(): Promise<void> {
    // A failing undo must not keep the others from running. The servers show whether the stage is calm.
    for (const undo of [...this.#undos].reverse()) {
      await undo().catch((error: Error) => this.log(`while a fault was undone: ${error.message}`))
    }
    await this.startDatabase()
    await this.#untilCertain()
    await Promise.all(this.servers.map((server) => this.#untilReady(server)))
  }

  stop(): Promise<void> {
    return this.#cleanup.run()
  }

  /** For the diagnosis. */
  async #standing(): Promise<unknown> {
    const servers = this.servers.map(async (server) => ({
      name: server.name,
      pid: server.pid,
      ready: await readiness(server),
      lastLines: server.lastLines,
    }))
    const sessions = this.sql(
      `SELECT pid, state, wait_event_type, wait_event, xact_start, pg_blocking_pids(pid) AS blocked_by, left(query, 200) AS query
       FROM pg_stat_activity WHERE backend_type = 'client backend'`,
    ).catch(String)
    return {
      servers: await Promise.all(servers),
      sessions: await sessions,
      log: await this.postgres.lastWords(),
    }
  }

  /** Waits until Citus has recovered the transactions that were prepared when the coordinator or a connection was lost. */
  async #untilCertain(): Promise<void> {
    const deadline = performance.now() + CERTAIN_PATIENCE_MS
    const prepared = () => Promise.all(this.shardNodes.map((node) => node.sql(PREPARED)))
    for (let left = (await prepared()).flat(); left.length > 0; left = (await prepared()).flat()) {
      // Citus uses a clock that may have been set back.
      if (this.clocks !== null) await this.sql('SELECT recover_prepared_transactions()')
      if (performance.now() > deadline) {
        const message = `transactions are in doubt ${CERTAIN_PATIENCE_MS / 1000} s after the last fault`
        throw new NotCalm(message, left)
      }
      await pause(200)
    }
  }

  async #untilReady(server: Server): Promise<void> {
    const deadline = performance.now() + CALM_PATIENCE_MS
    while (!(await isReady(server))) {
      if (performance.now() > deadline) {
        const message = `${server.name} is not ready ${CALM_PATIENCE_MS / 1000} s after the last fault`
        throw new NotCalm(message, await this.#standing())
      }
      await pause(50)
    }
  }
}

const isReady = async (server: Server): Promise<boolean> => (await readiness(server)).startsWith('200')

/** Status and body of the response, or why there was none. */
async function readiness({ front }: Server): Promise<string> {
  if (front.port === null) return 'it does not run'
  try {
    const signal = AbortSignal.timeout(ASK_PATIENCE_MS)
    const answer = await fetch(`http://127.0.0.1:${front.port}/readyz`, { signal })
    return `${answer.status} ${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}
