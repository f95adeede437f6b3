import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import pg from 'pg'
import { pino } from 'pino'
import { metricsText } from '../../src/platform/observability/metrics.ts'
import type { Tracing } from '../../src/platform/observability/tracing.ts'
import { createServer, type ServerOptions } from '../../src/service/http/server.ts'
import { ApiClient } from './api-client.ts'
import { Conformance } from './conformance.ts'
import { asServiceRole, distributionOf, urlsOfDatabase, withTriggers } from './database-nodes.ts'
import { createToken, createUser, Passwords } from './source/accounts.ts'
import { Database } from './source/database.ts'
import { type App, createApp, lifecyclesOf, OverviewCache, startAll, stopAll } from './source/service.ts'
import { createTestDatabase, type Scope } from './test-database.ts'

export interface TestService {
  url: string
  app: App
  databaseUrl: string
  /** A client of the default account. */
  api: ApiClient
  /** A client of a new account. */
  newAccount: () => Promise<ApiClient>
  /** A client without a token, or with the given one. */
  clientWith: (token: string | null) => ApiClient
  /** The clients' ports of the open connections. */
  clientPorts: ReadonlySet<number>
  /** Runs SQL on the service's database, on a connection of the test. */
  sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  /** Runs SQL on each node of the database, for node-specific state. */
  sqlOnEach: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
}

export interface TestServiceOptions extends Partial<ServerOptions> {
  /** Uses the database of another server. */
  databaseUrl?: string
  /** Creates no account: `api` has no token. */
  withoutAccount?: true
  /** Changes the URL by which the service reaches the database. */
  throughUrl?: (databaseUrl: string) => Promise<string>
  /** Statement timeout. Default: the service's own. */
  statementTimeoutMs?: number
  /** Hashes passwords at full cost: a third of a second each. */
  hashesSlowly?: true
  /** Default: no traces. */
  tracing?: Tracing
  /** Token of `/metrics`. Without it there is no `/metrics`. */
  metricsToken?: string
}

/** Connections of all pools together. */
export const POOL_SIZE = 16

/** Cost of password hashing: 2^10 blocks, a hundredth of the default. */
const LITTLE_WORK = 10

let accounts = 0

const metricsOf = ({ db }: App, token: string) => ({
  token,
  read: async () => metricsText([await db.metrics.readValues()]),
})

/** The clients' ports of the open connections. The server must not listen yet, so that no connection is missed. */
function clientPortsOf(server: Server): ReadonlySet<number> {
  const ports = new Set<number>()
  server.on('connection', (socket) => {
    const port = socket.remotePort as number
    ports.add(port)
    socket.once('close', () => ports.delete(port))
  })
  return ports
}

/** The real HTTP server on a database of its own, without the scheduler: tests run the checks. */
export async function startTestService(t: Scope, options: TestServiceOptions = {}): Promise<TestService> {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase(t))
  const serviceUrl = asServiceRole(databaseUrl)
  const connectionString = (await options.throughUrl?.(serviceUrl)) ?? serviceUrl
  const { statementTimeoutMs } = options
  const timeout = statementTimeoutMs === undefined ? {} : { statementTimeoutMs }
  const distribution = await distributionOf(databaseUrl)
  const db = new Database({ connectionString, poolSize: POOL_SIZE, distribution, ...timeout })
  const app = createApp(db, null, options.tracing ?? null)
  if (!options.hashesSlowly) app.passwords = new Passwords(LITTLE_WORK)
  // On a busy machine an overview takes so long that it is reused, and a test would see the state before its change.
  app.overviews = new OverviewCache(db, Number.POSITIVE_INFINITY)
  await startAll(lifecyclesOf(app))
  const server = await createServer(app, {
    log: options.log ?? pino({ level: 'silent' }),
    publicUrl: options.publicUrl ?? '',
    rates: options.rates ?? null,
    openSignUp: options.openSignUp ?? false,
    trustedProxies: options.trustedProxies ?? null,
    maxConnections: options.maxConnections ?? 2_000,
    maxSchemas: options.maxSchemas ?? 10_000,
    maxCalendars: options.maxCalendars ?? 1_000,
    allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
    webhookPorts: options.webhookPorts ?? [],
    requestLog: options.requestLog ?? null,
    ...(options.metricsToken ? { metrics: metricsOf(app, options.metricsToken) } : {}),
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
    ...(options.heartbeatMs ? { heartbeatMs: options.heartbeatMs } : {}),
  })
  const clientPorts = clientPortsOf(server.server)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const side = new pg.Pool({ connectionString: withTriggers(databaseUrl), max: 2 })
  side.on('error', () => {})
  const workers = urlsOfDatabase(databaseUrl)
    .slice(1)
    .map((connectionString) => new pg.Pool({ connectionString, max: 1 }))
  for (const worker of workers) worker.on('error', () => {})
  t.after(async () => {
    await server.close()
    await stopAll(lifecyclesOf(app), (error) => assert.fail(error as Error))
    await app.db.close()
    await Promise.all([side, ...workers].map((pool) => pool.end()))
  })

  const conformance = new Conformance(server.swagger())
  const clientWith = (token: string | null) => new ApiClient(url, token, conformance)
  const newAccount = async () => {
    const { email } = await createUser(app, `account-${process.pid}-${accounts++}@example.com`)
    return clientWith(await createToken(app, { email, name: 'test', expiresAt: null }))
  }
  return {
    url,
    app,
    databaseUrl,
    api: options.withoutAccount ? clientWith(null) : await newAccount(),
    newAccount,
    clientWith,
    clientPorts,
    sql: async (text, values) => (await side.query(text, values)).rows,
    sqlOnEach: async (text, values) =>
      (await Promise.all([side, ...workers].map((pool) => pool.query(text, values)))).flatMap(
        ({ rows }) => rows,
      ),
  }
}
