import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { WORKER_NUMBER } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler, withTimeout } from '../../kernel/promises.ts'
import type { RateCounts, RateGrant, Take } from '../../platform/http/admission/rate-limit.ts'
import { type Measured, metricsText } from '../../platform/observability/metrics.ts'
import { PortTaken } from '../listening.ts'
import { shareReading } from '../metrics/metrics-server.ts'

/** What a worker hears from the process that started it. */
export type ToWorker =
  /** Answers 'hello'. The address has the database's password, and stands in no environment for that. */
  | { kind: 'serve'; connectionString: string; port: number }
  /** It does the jobs of the service from now on. */
  | { kind: 'schedule' }
  | { kind: 'stop' }
  /** Answers 'take', in its order. */
  | { kind: 'granted'; question: number; grants: RateGrant[] }
  /** It is to say what it has measured. */
  | { kind: 'measure'; question: number }
  /** Answers 'read metrics'; null if they could not be read. */
  | { kind: 'metrics'; text: string | null }

/** What a worker says. */
export type FromWorker =
  | { kind: 'hello' }
  /** Each second: its event loop turns. */
  | { kind: 'alive' }
  | { kind: 'ready'; url: string }
  /** It finishes its requests in flight, and ends. */
  | { kind: 'leaving' }
  /** It cannot start, for a reason that its operator can mend. */
  | { kind: 'failed'; reason: string; portIsTaken: boolean }
  /** Requests and items of accounts that want to be counted. */
  | { kind: 'take'; question: number; takes: Take[] }
  /** Answers 'measure'. */
  | { kind: 'measured'; question: number; measured: Measured }
  /** It asks for what all workers have measured. */
  | { kind: 'read metrics' }

export interface WorkersOptions {
  count: number
  connectionString: string
  /** Of all, also of those that come later. */
  port: number
  /** Null for no limit. */
  rates: RateCounts | null
  log: FastifyBaseLogger
}

/** One that dies is started again at once; if it dies again, after a second, then two, and so on. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 10_000]
/** Who has answered callers for so long dies for the first time. */
const CALM_MS = 20_000

const LOOK_EVERY_MS = 1_000
/** Who says nothing for so many looks hangs. Looks, not time: this process may have been held up itself. */
const MOST_SILENT_LOOKS = 15
/** Who has just begun loads its code first. */
const MORE_AT_THE_START = 45
/** A process that was killed ends at once, unless the kernel holds it. */
const KILLED_MS = 1_000

/** A worker's place: who has it dies, and another one takes it. */
interface Place {
  readonly number: number
  worker: Worker | null
  isReady: boolean
  /** By performance.now(). */
  readyAt: number
  /** Looks since it was last heard. */
  silentLooks: number
  /** One soon after the other. */
  deaths: number
  again: NodeJS.Timeout | undefined
}

/** The processes that answer callers, on one port: each is started again if it dies, and one runs the scheduled checks. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #places: Place[]
  readonly #metrics = new WorkerMetrics()
  #scheduling: Worker | null = null
  #isUp = false
  #isStopping = false
  #watching: NodeJS.Timeout | undefined
  readonly #allReady = Promise.withResolvers<string>()
  readonly #allGone = Promise.withResolvers<void>()

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#places = Array.from({ length: options.count }, (_, i) => ({
      number: i + 1,
      worker: null,
      isReady: false,
      readyAt: 0,
      silentLooks: 0,
      deaths: 0,
      again: undefined,
    }))
  }

  /** @returns where they listen, once all do @throws OperatorError if one cannot start */
  start(): Promise<string> {
    // Each accepts for itself. Handed on by turns, what a worker had not yet taken when it died would stay open for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    for (const place of this.#places) this.#fork(place)
    this.#watching = setInterval(() => this.#look(), LOOK_EVERY_MS)
    return this.#allReady.promise
  }

  /** Each finishes its requests in flight. Those that are still there after so many milliseconds are killed. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#watching)
    for (const { worker, again } of this.#places) {
      clearTimeout(again)
      if (worker) tell(worker, { kind: 'stop' })
    }
    this.#lookWhetherAllAreGone()
    await withTimeout(withinMs, this.#allGone.promise)
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL')
    await withTimeout(KILLED_MS, this.#allGone.promise)
  }

  /** What all workers have measured, for Prometheus: those that answer in time. */
  readonly readMetrics = shareReading(async () => {
    const ready = this.#places.filter(({ isReady }) => isReady)
    const ask = (number: number, question: number) => {
      const place = ready.find((one) => one.number === number)
      if (place?.worker) tell(place.worker, { kind: 'measure', question })
    }
    return metricsText(
      await this.#metrics.gather(
        ready.map(({ number }) => number),
        ask,
      ),
    )
  })

  async #tellMetrics(worker: Worker): Promise<void> {
    const text = await this.readMetrics().catch((error) => {
      this.#options.log.error({ err: error }, 'the metrics could not be read')
      return null
    })
    tell(worker, { kind: 'metrics', text })
  }

  #fork(place: Place): void {
    const worker = cluster.fork({ [WORKER_NUMBER]: place.number })
    place.worker = worker
    place.isReady = false
    place.readyAt = Infinity
    place.silentLooks = -MORE_AT_THE_START
    worker.on('message', (message: FromWorker) => this.#hear(place, worker, message))
    worker.on('error', (error) => {
      this.#options.log.error({ worker: place.number, err: error }, 'a worker cannot be reached')
      // It was never there, and does not exit.
      if (worker.process.pid === undefined) this.#onEnd(place, worker, null, null)
    })
    worker.once('exit', (code, signal) => this.#onEnd(place, worker, code, signal))
  }

  #hear(place: Place, worker: Worker, message: FromWorker): void {
    const { connectionString, port, rates, log } = this.#options
    if (place.worker === worker) place.silentLooks = 0
    if (message.kind === 'hello') tell(worker, { kind: 'serve', connectionString, port })
    else if (message.kind === 'ready') this.#onReady(place, message.url)
    else if (message.kind === 'leaving') this.#onLeaving(place)
    else if (message.kind === 'failed') {
      const Failure = message.portIsTaken ? PortTaken : OperatorError
      if (!this.#isUp) this.#allReady.reject(new Failure(message.reason))
      else log.error({ worker: place.number, reason: message.reason }, 'a worker cannot start')
    } else if (message.kind === 'take' && rates) {
      const grants = message.takes.map(({ account, wanted }) => rates.take(account, wanted))
      tell(worker, { kind: 'granted', question: message.question, grants })
    } else if (message.kind === 'measured') {
      this.#metrics.hear(place.number, message.question, message.measured)
    } else if (message.kind === 'read metrics') void withRejectionHandler(this.#tellMetrics(worker))
  }

  #onReady(place: Place, url: string): void {
    if (this.#isStopping) return
    place.isReady = true
    place.readyAt = performance.now()
    this.#chooseScheduler()
    if (this.#places.some(({ isReady }) => !isReady)) return
    this.#isUp = true
    this.#allReady.resolve(url)
  }

  /** It is still there, and does the jobs of the service no more. */
  #onLeaving(place: Place): void {
    place.isReady = false
    if (!this.#isStopping) this.#chooseScheduler()
  }

  #onEnd(place: Place, worker: Worker, code: number | null, signal: string | null): void {
    if (place.worker !== worker) return
    place.worker = null
    place.isReady = false
    if (this.#isStopping) this.#lookWhetherAllAreGone()
    else if (!this.#isUp) {
      this.#allReady.reject(new OperatorError(`Worker ${place.number} ended while it started; see the log.`))
    } else {
      const { log } = this.#options
      log.error({ worker: place.number, code, signal }, 'a worker ended, and is started again')
      place.again = setTimeout(() => this.#fork(place), pauseBefore(place))
      place.deaths++
      this.#chooseScheduler()
    }
  }

  /** One that hangs holds the connections that it has, and perhaps the scheduled checks. */
  #look(): void {
    for (const place of this.#places) {
      if (!place.worker || ++place.silentLooks !== MOST_SILENT_LOOKS) continue
      this.#options.log.error({ worker: place.number }, 'a worker hangs, and is killed')
      place.worker.process.kill('SIGKILL')
    }
  }

  /** The one that does the jobs of the service keeps them; if it has died another takes them over at once. */
  #chooseScheduler(): void {
    const ready = this.#places.filter(({ isReady }) => isReady)
    if (ready.some(({ worker }) => worker === this.#scheduling)) return
    const next = ready[0]
    this.#scheduling = next?.worker ?? null
    if (!next?.worker) return
    this.#options.log.info({ worker: next.number }, 'a worker does the scheduled checks from now on')
    tell(next.worker, { kind: 'schedule' })
  }

  #lookWhetherAllAreGone(): void {
    if (this.#places.every(({ worker }) => worker === null)) this.#allGone.resolve()
  }
}

/** Milliseconds until it is started again. */
function pauseBefore(place: Place): number {
  if (performance.now() - place.readyAt > CALM_MS) place.deaths = 0
  return place.deaths === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (place.deaths - 1), LONGEST_PAUSE_MS)
}

/** Who is not there to hear it has died, or is about to: that is seen when it has ended. */
function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.process.send(message, () => {})
}

/** A worker that does not answer in this time is left out. */
const METRICS_TIMEOUT_MS = 2_000

/** Asks all workers what they have measured. */
class WorkerMetrics {
  readonly #questions = new Map<number, (worker: number, measured: Measured) => void>()
  #last = 0

  /**
   * @param workers their numbers
   * @param ask tells a worker to answer this question
   */
  async gather(
    workers: readonly number[],
    ask: (worker: number, question: number) => void,
  ): Promise<Measured[]> {
    const question = ++this.#last
    const answers = new Map<number, Measured>()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#questions.set(question, (worker, measured) => {
      answers.set(worker, measured)
      if (answers.size === workers.length) resolve()
    })
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS)
    for (const worker of workers) ask(worker, question)
    if (workers.length === 0) resolve()
    await promise
    clearTimeout(timer)
    this.#questions.delete(question)
    return [...answers.values()]
  }

  hear(worker: number, question: number, measured: Measured): void {
    this.#questions.get(question)?.(worker, measured)
  }
}
