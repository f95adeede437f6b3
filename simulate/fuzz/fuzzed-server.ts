import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../../bench/cleanup.ts'
import { Cluster } from '../../bench/cluster.ts'
import { ServerProcess } from '../../bench/server-process.ts'
import { Database } from '../../src/platform/database/database.ts'
import { createApp } from '../../src/service/create-app.ts'
import { Accounts } from './accounts.ts'
import type { Memory } from './grown-memory.ts'

const COLLECT = fileURLToPath(new URL('./collect-at-signal.ts', import.meta.url))
const OPTIONS = ['--expose-gc', '--trace-warnings', '--import', COLLECT]
const MOST_SCHEMAS = '30'
const TIMEOUT_MS = 30_000

/** `claimkeeper serve` with its own PostgreSQL, and accounts on it. */
export class FuzzedServer {
  readonly accounts: Accounts
  readonly #process: ServerProcess

  private constructor(process: ServerProcess, accounts: Accounts) {
    this.#process = process
    this.accounts = accounts
  }

  static async start(folder: string, cleanup: Cleanup): Promise<FuzzedServer> {
    const cluster = await Cluster.start(folder, cleanup)
    const { url: databaseUrl } = await cluster.createDatabase('fuzz')
    // Few enough for the limit to be met.
    process.env.CLAIMKEEPER_MOST_SCHEMAS = MOST_SCHEMAS
    const server = await ServerProcess.start({ url: databaseUrl }, OPTIONS, cleanup)
    const db = new Database({ connectionString: databaseUrl, poolSize: 2 })
    cleanup.add(() => db.close())
    return new FuzzedServer(server, new Accounts(createApp(db), server.url))
  }

  get url(): string {
    return this.#process.url
  }

  /** Lines of its log of level error, and what is none, since the last call. */
  takeErrors(): string[] {
    return this.#process.takeErrors()
  }

  async memory(): Promise<Memory> {
    const { promise, resolve, reject } = Promise.withResolvers<Memory>()
    const timer = setTimeout(() => reject(new Error('the server does not tell of its memory')), TIMEOUT_MS)
    const stop = this.#process.onLogLine(({ heapMb, externalMb, residentMb }) => {
      if (typeof heapMb === 'number')
        resolve({ heapMb, externalMb: Number(externalMb), residentMb: Number(residentMb) })
    })
    process.kill(this.#process.pid, 'SIGUSR2')
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      stop()
    }
  }
}
