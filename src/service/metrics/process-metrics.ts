import { monitorEventLoopDelay } from 'node:perf_hooks'
import packageJson from '../../../package.json' with { type: 'json' }
import type { App } from '../../app.ts'
import { readLags, timeRoundTrip } from '../../checks/lag-store.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'
import { readBackgroundState } from '../../platform/database/migrate/background-migrations.ts'
import { CODE_VERSION } from '../../platform/database/migrate/migration-files.ts'
import { readSchemaVersion } from '../../platform/database/migrate/schema-version.ts'
import { SERVICE_ACCOUNT } from '../../platform/database/pool/pooled-connection.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { EVENT_LOOP_SAMPLE_MS, EVENT_LOOP_WINDOW_MS } from '../limits.ts'

const QUANTILES = [0.5, 0.99, 1]

/** Metrics of the process: memory, CPU and event loop. */
export class ProcessMetrics implements Lifecycle {
  readonly #metrics: Metrics
  readonly #delays = monitorEventLoopDelay({ resolution: EVENT_LOOP_SAMPLE_MS })
  #timer: NodeJS.Timeout | undefined
  #cpuSeconds = 0

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  async start(): Promise<void> {
    const { version } = packageJson
    this.#metrics.instruments.build.set({ version, node: process.version }, 1)
    this.#metrics.instruments.codeMigration.set(CODE_VERSION)
    this.#metrics.onRead(() => this.#read())
    this.#delays.enable()
    this.#timer = setInterval(() => this.#tellDelays(), EVENT_LOOP_WINDOW_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#delays.disable()
  }

  #tellDelays(): void {
    const { eventLoopSeconds } = this.#metrics.instruments
    for (const quantile of QUANTILES) {
      const ms = this.#delays.percentile(quantile * 100) / 1e6
      eventLoopSeconds.set({ quantile: `${quantile}` }, Math.max(0, ms - EVENT_LOOP_SAMPLE_MS) / 1_000)
    }
    this.#delays.reset()
  }

  #read(): void {
    const { memoryBytes, cpuSeconds } = this.#metrics.instruments
    const { rss, heapUsed, external } = process.memoryUsage()
    memoryBytes.set({ kind: 'resident' }, rss)
    memoryBytes.set({ kind: 'heap' }, heapUsed)
    memoryBytes.set({ kind: 'external' }, external)
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    cpuSeconds.inc(seconds - this.#cpuSeconds)
    this.#cpuSeconds = seconds
  }
}

/** Measures the database and its backlog. An unreachable database is recorded as such. */
export async function measureDatabase({ db, overdueLag }: App): Promise<void> {
  const { instruments } = db.metrics
  try {
    await db.reads.for(SERVICE_ACCOUNT).withConnection(async (connection) => {
      instruments.databaseRoundTripSeconds.set((await timeRoundTrip(connection)) / 1_000)
      instruments.databaseUp.set(1)
      instruments.migration.set((await readSchemaVersion(connection)).version)
      const background = await readBackgroundState(connection)
      instruments.migrationsInBackground.set(background?.left ?? 0)
      instruments.migrationProgress.set(background?.progress ?? 1)
      instruments.overdueSeconds.set(await overdueLag.seconds(connection))
      const { dueDeliverySeconds, heldFeedSeconds } = await readLags(connection)
      instruments.webhookOldestDueSeconds.set(dueDeliverySeconds)
      instruments.notificationLagSeconds.set(heldFeedSeconds)
    })
  } catch (error) {
    instruments.databaseUp.set(0)
    if (!(error instanceof DatabaseUnavailable)) throw error
  }
}
