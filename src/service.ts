import { once } from 'node:events'
import { type AddressInfo, createServer as createHolder } from 'node:net'
import { promisify } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { type BootstrapAccount, bootstrapAccount } from './app/accounts/bootstrap-account.ts'
import { inviteFirstAccount } from './app/accounts/invite-first-account.ts'
import { listUsers } from './app/accounts/users.ts'
import { createApp, partsOf } from './app/app.ts'
import { startParts, stopParts } from './app/part.ts'
import { loadSessionLibrary } from './app/sessions/session-api.ts'
import type { Config } from './config.ts'
import { createServer } from './http/server.ts'
import type { TypedServer } from './http/typed-server.ts'
import { OperatorError } from './operator-error.ts'
import { endsWithin } from './owned-promise.ts'
import { forgetExpiredJob } from './scheduler/jobs/forget-expired.ts'
import { giveBackMemoryJob } from './scheduler/jobs/give-back-memory.ts'
import { moveContractsJob } from './scheduler/jobs/move-contracts.ts'
import { removeUnusedContractsJob } from './scheduler/jobs/remove-unused-contracts.ts'
import { scheduledCheckJob } from './scheduler/jobs/run-scheduled-check.ts'
import { sumUpResolutionsJob } from './scheduler/jobs/sum-up-resolutions.ts'
import { trimAllocatorJob } from './scheduler/jobs/trim-allocator.ts'
import { Scheduler } from './scheduler/scheduler.ts'
import { openDatabase } from './storage/database/open-database.ts'
import { unlessAborted } from './storage/database/unless-aborted.ts'

export interface Service {
  /** Where it listens. */
  url: string
  /** The first account, if this start made it. */
  bootstrap: BootstrapAccount | null
  /** The email of the account that was made first. */
  owner: string
  /** The key of the first account's one-time link; null once someone can sign in to it. */
  welcomeKey: string | null
  /** Takes no more requests, finishes those in flight, stops the database. */
  stop: () => Promise<void>
}

/** A stop takes no longer, the database's own time included: whoever supervises the server waits for 10 s. */
const STOP_MS = 9_000
/** Requests in flight and a running check get this long of it. */
const DRAIN_MS = 4_000

/** And so long has what nobody asks for any more. The database gets what is left. */
const PARTS_MS = 1_500

/** Puts the service together and starts it: database, HTTP server, scheduler. @throws OperatorError */
export async function startService(
  config: Config,
  log: FastifyBaseLogger,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Service> {
  await requireFreePort(config)
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    role: 'service',
    allowUnsafe: config.allowUnsafeDatabase,
    mayCreate: true,
    report,
    signal,
  })
  const app = createApp(database.db)
  const parts = partsOf(app)
  const onStopError = (error: unknown) => log.error({ err: error }, 'a part of the service did not stop well')
  try {
    await startParts(parts)
    signal.throwIfAborted()
    const showToken = ({ email, token }: BootstrapAccount) =>
      report(`Making the account ${email} with its API token, shown only this once: ${token}`)
    const show = config.bootstrapToken === null ? showToken : () => {}
    const bootstrap = await unlessAborted(signal, bootstrapAccount(app, config.bootstrapToken, show))
    const welcomeKey = await unlessAborted(signal, inviteFirstAccount(app))
    const [first] = await unlessAborted(signal, listUsers(app))
    const server = await createServer(app, {
      log,
      publicUrl: config.publicUrl ?? '',
      rateLimitPerMinute: config.rateLimitPerMinute,
      openSignUp: config.openSignUp,
      trustedProxies: config.trustedProxies,
      mostConnections: config.mostConnections,
      mostSchemas: config.mostSchemas,
    })
    const url = await listen(server, config)
    // At once, rather than when somebody signs in: until then hardly anyone waits for the event loop.
    loadSessionLibrary().catch((error) => log.error({ err: error }, 'loading the session library failed'))
    const check = scheduledCheckJob(app, (transitions, checkTime, durationMs) => {
      if (transitions > 0) log.info({ transitions, checkTime, durationMs }, 'scheduled check')
    })
    const contracts = moveContractsJob(app, (moves) => log.info(moves, 'moving contracts out of claims'))
    const unused = removeUnusedContractsJob(app, (removed) =>
      log.info({ removed }, 'unused contracts removed'),
    )
    const jobs = [
      check,
      contracts,
      unused,
      sumUpResolutionsJob(app),
      forgetExpiredJob(app),
      giveBackMemoryJob(),
      trimAllocatorJob(),
    ]
    const scheduler = new Scheduler(jobs, (error, job) => log.error({ err: error }, `${job.name} failed`))
    await scheduler.start()

    const stop = async () => {
      const deadline = performance.now() + STOP_MS
      await endsWithin(DRAIN_MS, Promise.allSettled([server.close(), scheduler.stop()]))
      server.cutConnections()
      server.server.closeAllConnections()
      await endsWithin(PARTS_MS, stopParts(parts, onStopError))
      await database.close(deadline - performance.now())
    }
    return { url, bootstrap, owner: first?.email ?? '', welcomeKey, stop }
  } catch (error) {
    await endsWithin(PARTS_MS, stopParts(parts, onStopError))
    await database.close()
    throw error
  }
}

/** Before anything is made or changed: most starts that cannot listen end here. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  const holder = createHolder((socket) => socket.destroy())
  try {
    await once(holder.listen({ host, port }), 'listening')
  } catch (error) {
    throw cannotListen(error, host, port)
  }
  await promisify(holder.close).call(holder)
}

async function listen(server: TypedServer, { host, port }: Config): Promise<string> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    await server.close()
    throw cannotListen(error, host, port)
  }
  const address = server.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`
}

function cannotListen(error: unknown, host: string, port: number): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EADDRINUSE'
    ? new OperatorError(`Port ${port} of ${host} is taken; set PORT to another.`)
    : new OperatorError(`Cannot listen on HOST ${host}, PORT ${port}: ${message}`)
}
