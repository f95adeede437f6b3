import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { WORKER_NUMBER } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler, withTimeout } from '../../kernel/promises.ts'
import type { RateCounts, RateGrant, RateRequest } from '../../platform/http/admission/rate-limit.ts'
import { type MetricValues, metricsText } from '../../platform/observability/metrics.ts'
import {
  EXTRA_MISSED_HEARTBEATS_AT_START,
  HEARTBEAT_INTERVAL_MS,
  KILL_TIMEOUT_MS,
  MAX_MISSED_HEARTBEATS,
  MAX_RESTART_PAUSE_MS,
  METRICS_TIMEOUT_MS,
  MIN_RESTART_PAUSE_MS,
  STABLE_AFTER_MS,
} from '../limits.ts'
import { PortTaken } from '../listening.ts'
import { singleFlight } from '../metrics/metrics-server.ts'

/** Messages of the primary process to a worker. */
export type ToWorker =
  /** Answers 'hello'. The connection string has the database's password, so it is not passed in the environment. */
  | { kind: 'serve'; connectionString: string; port: number }
  | { kind: 'start jobs' }
  | { kind: 'stop' }
  /** Answers 'count rate'. The grants are in the order of the requests. */
  | { kind: 'rate grants'; messageId: number; grants: RateGrant[] }
  | { kind: 'read metric values'; messageId: number }
  /** Answers 'read all metrics'; null if they could not be read. */
  | { kind: 'all metrics'; text: string | null }

/** Messages of a worker to the primary process. */
export type FromWorker =
  | { kind: 'hello' }
  /** Sent by the event loop: a worker that is blocked sends none. */
  | { kind: 'heartbeat' }
  | { kind: 'ready'; url: string }
  /** The worker finishes its requests in flight and exits. */
  | { kind: 'stopping' }
  /** The worker cannot start, for a reason that the operator can remove. */
  | { kind: 'failed'; reason: string; portIsTaken: boolean }
  /** Requests and batch items of accounts to count against the rate limit. */
  | { kind: 'count rate'; messageId: number; requests: RateRequest[] }
  /** Answers 'read metric values'. */
  | { kind: 'metric values'; messageId: number; values: MetricValues }
  /** Answered by 'all metrics'. */
  | { kind: 'read all metrics' }

export interface WorkersOptions {
  count: number
  connectionString: string
  /** Shared by all workers. */
  port: number
  /** Null for no limit. */
  rates: RateCounts | null
  log: FastifyBaseLogger
}

/** A worker number. When its process exits, a new process takes the slot. */
interface Slot {
  readonly number: number
  worker: Worker | null
  isReady: boolean
  /** By performance.now(). */
  readyAt: number
  missedHeartbeats: number
  /** Crashes without a stable time between them. */
  crashes: number
  restartTimer: NodeJS.Timeout | undefined
}

/** The worker processes, which share one port. A worker that exits is restarted. One worker runs the jobs. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #slots: Slot[]
  readonly #metrics = new WorkerMetrics()
  #scheduler: Worker | null = null
  #isUp = false
  #isStopping = false
  #heartbeatTimer: NodeJS.Timeout | undefined
  readonly #allReady = Promise.withResolvers<string>()
  readonly #allExited = Promise.withResolvers<void>()

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.count }, (_, i) => ({
      number: i + 1,
      worker: null,
      isReady: false,
      readyAt: 0,
      missedHeartbeats: 0,
      crashes: 0,
      restartTimer: undefined,
    }))
  }

  /** Resolves with the URL when all workers listen. @throws OperatorError if one cannot start */
  start(): Promise<string> {
    // Each worker accepts connections itself. With round-robin, connections handed to a worker that crashes would stay open.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    for (const slot of this.#slots) this.#fork(slot)
    this.#heartbeatTimer = setInterval(() => this.#checkHeartbeats(), HEARTBEAT_INTERVAL_MS)
    return this.#allReady.promise
  }

  /** Workers finish their requests in flight. After `timeoutMs`, remaining workers are killed. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#heartbeatTimer)
    for (const { worker, restartTimer } of this.#slots) {
      clearTimeout(restartTimer)
      if (worker) send(worker, { kind: 'stop' })
    }
    this.#resolveIfAllExited()
    await withTimeout(timeoutMs, this.#allExited.promise)
    for (const { worker } of this.#slots) worker?.process.kill('SIGKILL')
    await withTimeout(KILL_TIMEOUT_MS, this.#allExited.promise)
  }

  /** Metrics of all workers that answer in time, in the format of Prometheus. */
  readonly readMetrics = singleFlight(async () => {
    const ready = this.#slots.filter(({ isReady }) => isReady)
    const sendRequest = (number: number, messageId: number) => {
      const slot = ready.find((readySlot) => readySlot.number === number)
      if (slot?.worker) send(slot.worker, { kind: 'read metric values', messageId })
    }
    return metricsText(
      await this.#metrics.gather(
        ready.map(({ number }) => number),
        sendRequest,
      ),
    )
  })

  async #sendMetrics(worker: Worker): Promise<void> {
    const text = await this.readMetrics().catch((error) => {
      this.#options.log.error({ err: error }, 'the metrics could not be read')
      return null
    })
    send(worker, { kind: 'all metrics', text })
  }

  #fork(slot: Slot): void {
    const worker = cluster.fork({ [WORKER_NUMBER]: slot.number })
    slot.worker = worker
    slot.isReady = false
    slot.readyAt = Infinity
    slot.missedHeartbeats = -EXTRA_MISSED_HEARTBEATS_AT_START
    worker.on('message', (message: FromWorker) => this.#onMessage(slot, worker, message))
    worker.on('error', (error) => {
      this.#options.log.error({ worker: slot.number, err: error }, 'worker unreachable')
      // The process was never created, so 'exit' does not follow.
      if (worker.process.pid === undefined) this.#onEnd(slot, worker, null, null)
    })
    worker.once('exit', (code, signal) => this.#onEnd(slot, worker, code, signal))
  }

  #onMessage(slot: Slot, worker: Worker, message: FromWorker): void {
    const { connectionString, port, rates, log } = this.#options
    if (slot.worker === worker) slot.missedHeartbeats = 0
    if (message.kind === 'hello') send(worker, { kind: 'serve', connectionString, port })
    else if (message.kind === 'ready') this.#onReady(slot, message.url)
    else if (message.kind === 'stopping') this.#onStopping(slot)
    else if (message.kind === 'failed') {
      const Failure = message.portIsTaken ? PortTaken : OperatorError
      if (!this.#isUp) this.#allReady.reject(new Failure(message.reason))
      else log.error({ worker: slot.number, reason: message.reason }, 'worker failed to start')
    } else if (message.kind === 'count rate' && rates) {
      const grants = message.requests.map(({ account, wanted }) => rates.take(account, wanted))
      send(worker, { kind: 'rate grants', messageId: message.messageId, grants })
    } else if (message.kind === 'metric values') {
      this.#metrics.onValues(slot.number, message.messageId, message.values)
    } else if (message.kind === 'read all metrics') void withRejectionHandler(this.#sendMetrics(worker))
  }

  #onReady(slot: Slot, url: string): void {
    if (this.#isStopping) return
    slot.isReady = true
    slot.readyAt = performance.now()
    this.#chooseScheduler()
    if (this.#slots.some(({ isReady }) => !isReady)) return
    this.#isUp = true
    this.#allReady.resolve(url)
  }

  /** A stopping worker runs no more jobs. */
  #onStopping(slot: Slot): void {
    slot.isReady = false
    if (!this.#isStopping) this.#chooseScheduler()
  }

  #onEnd(slot: Slot, worker: Worker, code: number | null, signal: string | null): void {
    if (slot.worker !== worker) return
    slot.worker = null
    slot.isReady = false
    if (this.#isStopping) this.#resolveIfAllExited()
    else if (!this.#isUp) {
      this.#allReady.reject(new OperatorError(`Worker ${slot.number} ended while it started; see the log.`))
    } else {
      const { log } = this.#options
      log.error({ worker: slot.number, code, signal }, 'worker exited, restarting it')
      slot.restartTimer = setTimeout(() => this.#fork(slot), pauseBefore(slot))
      slot.crashes++
      this.#chooseScheduler()
    }
  }

  /** An unresponsive worker keeps its connections, and perhaps the scheduled checks. */
  #checkHeartbeats(): void {
    for (const slot of this.#slots) {
      if (!slot.worker || ++slot.missedHeartbeats !== MAX_MISSED_HEARTBEATS) continue
      this.#options.log.error({ worker: slot.number }, 'worker unresponsive, killed')
      slot.worker.process.kill('SIGKILL')
    }
  }

  /** A scheduler stays elected while it is ready. If it exits, another worker is elected at once. */
  #chooseScheduler(): void {
    const ready = this.#slots.filter(({ isReady }) => isReady)
    if (ready.some(({ worker }) => worker === this.#scheduler)) return
    const next = ready[0]
    this.#scheduler = next?.worker ?? null
    if (!next?.worker) return
    this.#options.log.info({ worker: next.number }, 'worker elected as scheduler')
    send(next.worker, { kind: 'start jobs' })
  }

  #resolveIfAllExited(): void {
    if (this.#slots.every(({ worker }) => worker === null)) this.#allExited.resolve()
  }
}

/** Milliseconds until the restart. */
function pauseBefore(slot: Slot): number {
  if (performance.now() - slot.readyAt > STABLE_AFTER_MS) slot.crashes = 0
  return slot.crashes === 0
    ? 0
    : Math.min(MIN_RESTART_PAUSE_MS * 2 ** (slot.crashes - 1), MAX_RESTART_PAUSE_MS)
}

/** Ignores errors: a worker that cannot receive messages has exited or soon exits, and its 'exit' event follows. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.process.send(message, () => {})
}

/** Collects metrics from workers. */
class WorkerMetrics {
  /** Callbacks for the responses of workers, by message id. */
  readonly #onResponse = new Map<number, (worker: number, values: MetricValues) => void>()
  #lastMessageId = 0

  /**
   * @param workers the numbers of the workers
   * @param sendRequest sends the request to a worker, with this message id
   */
  async gather(
    workers: readonly number[],
    sendRequest: (worker: number, messageId: number) => void,
  ): Promise<MetricValues[]> {
    const messageId = ++this.#lastMessageId
    const responses = new Map<number, MetricValues>()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onResponse.set(messageId, (worker, values) => {
      responses.set(worker, values)
      if (responses.size === workers.length) resolve()
    })
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS)
    for (const worker of workers) sendRequest(worker, messageId)
    if (workers.length === 0) resolve()
    await promise
    clearTimeout(timer)
    this.#onResponse.delete(messageId)
    return [...responses.values()]
  }

  onValues(worker: number, messageId: number, values: MetricValues): void {
    this.#onResponse.get(messageId)?.(worker, values)
  }
}
