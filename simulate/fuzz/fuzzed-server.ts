import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../../bench/cleanup.ts'
import { Cluster } from '../../bench/cluster.ts'
import { ServerProcess } from '../../bench/server-process.ts'
import { Database } from '../../src/platform/database/database.ts'
import { createApp } from '../../src/service/create-app.ts'
import { Accounts } from './accounts.ts'
import type { Memory } from './memory-growth.ts'

const REPORT_MEMORY = fileURLToPath(new URL('./report-memory-on-signal.ts', import.meta.url))
const OPTIONS = ['--expose-gc', '--trace-warnings', '--import', REPORT_MEMORY]
/** Limits of schemas and of calendars that a run reaches. */
const MAX_RECORDS = '30'
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
    process.env.CLAIMKEEPER_MOST_SCHEMAS = MAX_RECORDS
    process.env.CLAIMKEEPER_MOST_CALENDARS = MAX_RECORDS
    const server = await ServerProcess.start({ url: databaseUrl }, OPTIONS, cleanup)
    const db = new Database({ connectionString: databaseUrl, poolSize: 2 })
    cleanup.add(() => db.close())
    return new FuzzedServer(server, new Accounts(createApp(db), server.url))
  }

  get url(): string {
    return this.#process.url
  }

  /** Lines of its output since the last call that are errors or not JSON. */
  takeErrors(): string[] {
    return this.#process.takeErrors()
  }

  async memory(): Promise<Memory> {
    const { promise, resolve, reject } = Promise.withResolvers<Memory>()
    const timer = setTimeout(() => reject(new Error('the server did not report its memory')), TIMEOUT_MS)
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
