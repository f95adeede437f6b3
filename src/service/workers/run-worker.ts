import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import { unavailable } from '../../kernel/errors.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { unlessAborted } from '../../platform/database/unless-aborted.ts'
import { RemoteRateCounts, type Take } from '../../platform/http/admission/rate-limit.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { PortTaken } from '../listening.ts'
import { shareReading } from '../metrics/metrics-server.ts'
import { type ServerProcess, startServerProcess } from '../server-process.ts'
import { ofService } from '../start-service.ts'
import type { FromWorker, ToWorker } from './workers.ts'

const ALIVE_EVERY_MS = 1_000
/** The process that started this one waits for all workers, but not for long. */
const LONGEST_READING_MS = 4_000
/** Of a worker's stop; see what a server process takes. */
const CLOSE_MS = 500

/**
 * Answers callers until the signal, or until the process that started this one says so. If that one dies Node ends
 * this one, too.
 * @throws OperatorError if it cannot start, told already
 */
export async function runWorker(
  config: Config,
  worker: number,
  log: FastifyBaseLogger,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const ask = (question: number, takes: Take[]) => tell({ kind: 'take', question, takes })
  const rates = config.rateLimitPerMinute > 0 ? new RemoteRateCounts(config.rateLimitPerMinute, ask) : null
  let metrics: Metrics | null = null
  const tellMeasured = async (question: number) => {
    const measured = (await metrics?.measured({ worker: `${worker}` })) ?? []
    tell({ kind: 'measured', question, measured })
  }
  let hearMetrics: (text: string | null) => void = () => {}
  const readMetrics = shareReading(async () => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    hearMetrics = resolve
    tell({ kind: 'read metrics' })
    const timer = setTimeout(resolve, LONGEST_READING_MS, null)
    const text = await promise
    clearTimeout(timer)
    if (text === null) throw unavailable('The metrics could not be read.')
    return text
  })
  const order = Promise.withResolvers<Extract<ToWorker, { kind: 'serve' }>>()
  let server: ServerProcess | null = null
  let isReady = false
  const onFailure = (error: unknown) => log.error({ err: error }, 'the jobs of the service were not begun')
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'serve') order.resolve(message)
    else if (message.kind === 'schedule') void server?.schedule().catch(onFailure)
    else if (message.kind === 'granted') rates?.grant(message.question, message.grants)
    else if (message.kind === 'measure') void withRejectionHandler(tellMeasured(message.question))
    else if (message.kind === 'metrics') hearMetrics(message.text)
    else stop.abort(new OperatorError('The service stops'))
  })
  try {
    tell({ kind: 'hello' })
    setInterval(() => tell({ kind: 'alive' }), ALIVE_EVERY_MS).unref()
    const { connectionString, port } = await unlessAborted(ended, order.promise)
    const report = (step: string) => log.info(step)
    const database = await openDatabase({
      ...ofService(config, report, ended),
      databaseUrl: connectionString,
    })
    metrics = database.db.metrics
    try {
      server = await startServerProcess(database.db, { ...config, port }, { worker, rates, readMetrics, log })
      isReady = true
      tell({ kind: 'ready', url: server.url })
      if (!ended.aborted) await once(ended, 'abort')
      tell({ kind: 'leaving' })
      await server.stop()
    } finally {
      await database.close(CLOSE_MS)
    }
  } catch (error) {
    if (ended.aborted && !isReady) return
    if (!(error instanceof OperatorError)) throw error
    const { message: reason } = error
    await new Promise<void>((resolve) =>
      tell({ kind: 'failed', reason, portIsTaken: error instanceof PortTaken }, resolve),
    )
    throw error
  }
}

/** @param onSent is called when it is on its way, or nobody is there any more: then Node ends this process */
function tell(message: FromWorker, onSent = () => {}): void {
  process.send?.(message, undefined, undefined, onSent)
}
