import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../../bench/cleanup.ts'
import { hashToken, newToken } from '../../src/accounts/tokens/api-token.ts'
import type { SmallDisk } from '../../tests/support/small-disk.ts'
import { RecoveryError, type Testbed } from '../testbed.ts'
import type { Clock } from './clock.ts'
import type { Postgres } from './postgres.ts'
import type { Server } from './server.ts'

const RECOVERY_TIMEOUT_MS = 120_000
const RESPONSE_TIMEOUT_MS = 10_000
/** For prepared transactions, which Citus recovers every 5 s. */
const PREPARED_TIMEOUT_MS = 60_000
/** Transactions that are prepared for longer than a commit takes without faults. */
const PREPARED =
  "SELECT gid, prepared FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '1 second'"

interface Parts {
  postgres: Postgres
  shardNodes: readonly Postgres[]
  servers: readonly Server[]
  /** Null unless the testbed was opened with it. */
  disk: SmallDisk | null
  clocks: { database: Clock; servers: readonly Clock[] } | null
  serverErrors: readonly string[]
  /** The script of the servers. */
  program: string
  cleanup: Cleanup
  log: (line: string) => void
}

/** The testbed as faults use it: its processes on this machine. */
export class LocalTestbed implements Testbed {
  readonly urls: readonly string[]
  readonly serverErrors: readonly string[]
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

  constructor({ postgres, shardNodes, servers, disk, clocks, serverErrors, program, cleanup, log }: Parts) {
    this.urls = servers.map(({ serverProxy }) => serverProxy.url)
    this.serverErrors = serverErrors
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
  onRecover(undo: () => unknown): () => Promise<void> {
    const undoOnce = async () => {
      if (this.#undos.delete(undoOnce)) await undo()
    }
    this.#undos.add(undoOnce)
    return undoOnce
  }

  async recover(): Promise<void> {
    // A failed undo must not prevent the others. The readiness of the servers shows whether the testbed has recovered.
    for (const undo of [...this.#undos].reverse()) {
      await undo().catch((error: Error) => this.log(`ending a fault failed: ${error.message}`))
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
      log: await this.postgres.logTail(),
    }
  }

  /** Waits until Citus has recovered the transactions that were prepared when the coordinator or a connection was lost. */
  async #untilCertain(): Promise<void> {
    const deadline = performance.now() + PREPARED_TIMEOUT_MS
    const prepared = () => Promise.all(this.shardNodes.map((node) => node.sql(PREPARED)))
    for (let left = (await prepared()).flat(); left.length > 0; left = (await prepared()).flat()) {
      // Citus uses a clock that may have been set back.
      if (this.clocks !== null) await this.sql('SELECT recover_prepared_transactions()')
      if (performance.now() > deadline) {
        const message = `transactions are in doubt ${PREPARED_TIMEOUT_MS / 1000} s after the last fault`
        throw new RecoveryError(message, left)
      }
      await pause(200)
    }
  }

  async #untilReady(server: Server): Promise<void> {
    const deadline = performance.now() + RECOVERY_TIMEOUT_MS
    while (!(await isReady(server))) {
      if (performance.now() > deadline) {
        const message = `${server.name} is not ready ${RECOVERY_TIMEOUT_MS / 1000} s after the last fault`
        throw new RecoveryError(message, await this.#standing())
      }
      await pause(50)
    }
  }
}

const isReady = async (server: Server): Promise<boolean> => (await readiness(server)).startsWith('200')

/** Status and body of the response, or why there was none. */
async function readiness({ serverProxy }: Server): Promise<string> {
  if (serverProxy.port === null) return 'not running'
  try {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const answer = await fetch(`http://127.0.0.1:${serverProxy.port}/readyz`, { signal })
    return `${answer.status} ${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}
