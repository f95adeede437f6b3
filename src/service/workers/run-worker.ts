import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import { unavailable } from '../../kernel/errors.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'
import { unlessAborted } from '../../platform/concurrency/unless-aborted.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { type RateRequest, RemoteRateCounts } from '../../platform/http/admission/rate-limit.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { ALL_METRICS_TIMEOUT_MS, HEARTBEAT_INTERVAL_MS, WORKER_CLOSE_TIMEOUT_MS } from '../limits.ts'
import { PortTaken } from '../listening.ts'
import { singleFlight } from '../metrics/metrics-server.ts'
import { type ServerProcess, startServerProcess } from '../server-process.ts'
import { databaseOptions } from '../start-service.ts'
import type { FromWorker, ToWorker } from './workers.ts'

/**
 * Serves requests until the signal or the 'stop' message of the primary process. If the primary process dies, Node ends this
 * process too.
 * @throws OperatorError if the worker cannot start; the primary process has been informed
 */
export async function runWorker(
  config: Config,
  worker: number,
  log: FastifyBaseLogger,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const sendRateRequests = (messageId: number, requests: RateRequest[]) =>
    send({ kind: 'count rate', messageId, requests })
  const rates =
    config.rateLimitPerMinute > 0 ? new RemoteRateCounts(config.rateLimitPerMinute, sendRateRequests) : null
  let metrics: Metrics | null = null
  const sendMetricValues = async (messageId: number) => {
    const values = (await metrics?.readValues({ worker: `${worker}` })) ?? []
    send({ kind: 'metric values', messageId, values })
  }
  let onAllMetrics: (text: string | null) => void = () => {}
  const readAllMetrics = singleFlight(async () => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    onAllMetrics = resolve
    send({ kind: 'read all metrics' })
    const timer = setTimeout(resolve, ALL_METRICS_TIMEOUT_MS, null)
    const text = await promise
    clearTimeout(timer)
    if (text === null) throw unavailable('The metrics could not be read.')
    return text
  })
  const serveMessage = Promise.withResolvers<Extract<ToWorker, { kind: 'serve' }>>()
  let server: ServerProcess | null = null
  let isReady = false
  const onFailure = (error: unknown) => log.error({ err: error }, 'the jobs failed to start')
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'serve') serveMessage.resolve(message)
    else if (message.kind === 'start jobs') void server?.schedule().catch(onFailure)
    else if (message.kind === 'rate grants') rates?.grant(message.messageId, message.grants)
    else if (message.kind === 'read metric values')
      void withRejectionHandler(sendMetricValues(message.messageId))
    else if (message.kind === 'all metrics') onAllMetrics(message.text)
    else stop.abort(new OperatorError('The service stops'))
  })
  try {
    send({ kind: 'hello' })
    setInterval(() => send({ kind: 'heartbeat' }), HEARTBEAT_INTERVAL_MS).unref()
    const { connectionString, port } = await unlessAborted(ended, serveMessage.promise)
    const report = (step: string) => log.info(step)
    const database = await openDatabase({
      ...databaseOptions(config, report, ended),
      databaseUrl: connectionString,
    })
    metrics = database.db.metrics
    try {
      server = await startServerProcess(
        database.db,
        { ...config, port },
        { worker, rates, readMetrics: readAllMetrics, log },
      )
      isReady = true
      send({ kind: 'ready', url: server.url })
      if (!ended.aborted) await once(ended, 'abort')
      send({ kind: 'stopping' })
      await server.stop()
    } finally {
      await database.close(WORKER_CLOSE_TIMEOUT_MS)
    }
  } catch (error) {
    if (ended.aborted && !isReady) return
    if (!(error instanceof OperatorError)) throw error
    const { message: reason } = error
    await new Promise<void>((resolve) =>
      send({ kind: 'failed', reason, portIsTaken: error instanceof PortTaken }, resolve),
    )
    throw error
  }
}

/** @param onSent called when the message was sent, or when the primary process has gone: then Node ends this process */
function send(message: FromWorker, onSent = () => {}): void {
  process.send?.(message, undefined, undefined, onSent)
}
