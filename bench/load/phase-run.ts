import type { Connection } from './connection.ts'
import { Histogram } from './histogram.ts'
import type { Phase, PhaseResult } from './plan.ts'
import type { Requests } from './requests.ts'

/** Time after the end of a phase in which responses may still arrive. */
const GRACE_MS = 30_000
/** In a closed loop a response triggers the next request. The timer only detects the end. */
const CLOSED_TICK_MS = 20
const MAX_REFUSED = 100_000

/** Runs one phase over open, idle connections. They are open and idle again afterwards. */
export class PhaseRun {
  readonly #phase: Phase
  readonly #requests: Requests
  readonly #idle: Connection[]
  readonly #connections: number
  readonly #numberOf = new Map<Connection, number>()
  /** When the request in flight was sent. In an open loop, when it was due. */
  readonly #sentAt = new Map<Connection, number>()
  readonly #latency = new Histogram()
  readonly #statuses = new Map<number, number>()
  readonly #refused: number[] = []
  #firstRefusal: string | null = null
  #accepted = 0
  /** Number of the next request, and of the requests sent. */
  #next = 0
  #startedAt = 0
  #measuredFrom = 0
  #endsAt = 0
  #cpuBefore = process.cpuUsage()
  #finish: (() => void) | null = null

  constructor(phase: Phase, requests: Requests, connections: readonly Connection[]) {
    this.#phase = phase
    this.#requests = requests
    this.#idle = [...connections]
    this.#connections = connections.length
    for (const connection of connections) connection.readsBody = requests.readsBody
  }

  async run(): Promise<PhaseResult> {
    const { until } = this.#phase
    this.#startedAt = performance.now()
    this.#measuredFrom = this.#startedAt + ('warmupMs' in until ? until.warmupMs : 0)
    this.#endsAt = 'warmupMs' in until ? this.#measuredFrom + until.measureMs : Number.POSITIVE_INFINITY
    const warmUp = 'warmupMs' in until ? setTimeout(() => this.#beginToMeasure(), until.warmupMs) : null
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve
    })
    const ticking = setInterval(() => this.#tick(), this.#phase.rate === null ? CLOSED_TICK_MS : 1)
    this.#tick()
    await finished
    clearInterval(ticking)
    if (warmUp) clearTimeout(warmUp)
    return this.#result()
  }

  /** Sends no more requests. */
  stop(): void {
    this.#endsAt = Math.min(this.#endsAt, performance.now())
  }

  handleResponse(connection: Connection, status: number, body: string): void {
    const now = performance.now()
    const number = this.#numberOf.get(connection) as number
    const accepted = this.#requests.accepted(status, body)
    if (accepted !== this.#requests.wanted) this.#refuse(number, body)
    this.#numberOf.delete(connection)
    if (this.#counts(number, now)) {
      this.#latency.record(now - (this.#sentAt.get(connection) as number))
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
      this.#accepted += accepted
    }
    this.#idle.push(connection)
    this.#sendAll(now)
    if (this.#idle.length === this.#connections) this.#finishIfOver(now)
  }

  #beginToMeasure(): void {
    this.#cpuBefore = process.cpuUsage()
  }

  #refuse(number: number, body: string): void {
    this.#firstRefusal ??= body.slice(0, 200)
    if (this.#refused.length < MAX_REFUSED) this.#refused.push(number)
  }

  /** Whether the request is measured. An open loop counts by the due time of a request, a closed loop by its response. */
  #counts(number: number, now: number): boolean {
    const { until, rate } = this.#phase
    if ('requests' in until) return number >= until.warmupRequests
    const at = rate === null ? now : this.#dueAt(number, rate)
    return at >= this.#measuredFrom && at < this.#endsAt
  }

  #dueAt(number: number, rate: number): number {
    return this.#startedAt + (number * 1000) / rate
  }

  /** The timer fires at most once per millisecond. It sends all requests that are due. */
  #tick(): void {
    const now = performance.now()
    this.#sendAll(now)
    this.#finishIfOver(now)
  }

  #finishIfOver(now: number): void {
    const isIdle = this.#idle.length === this.#connections
    if ((this.#isOver(now) && isIdle) || now > this.#endsAt + GRACE_MS) this.#finish?.()
  }

  #isOver(now: number): boolean {
    const { until, rate } = this.#phase
    if ('requests' in until) return this.#next >= until.warmupRequests + until.requests
    // Requests that were due before the end are sent, even if late. Omitting them would hide their latency.
    return rate === null ? now >= this.#endsAt : this.#dueAt(this.#next, rate) >= this.#endsAt
  }

  #sendAll(now: number): void {
    const { rate } = this.#phase
    while (this.#idle.length > 0 && !this.#isOver(now)) {
      const dueAt = rate === null ? now : this.#dueAt(this.#next, rate)
      if (dueAt > now) return
      // In rotation: the server would close a connection that is idle for long.
      const connection = this.#idle.shift() as Connection
      this.#numberOf.set(connection, this.#next)
      this.#sentAt.set(connection, dueAt)
      connection.send(this.#requests.render(this.#next++))
    }
  }

  #result(): PhaseResult {
    const now = performance.now()
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    const end = Math.min(this.#endsAt, now)
    return {
      seconds: (end - this.#measuredFrom) / 1000,
      responses: this.#latency.count,
      accepted: this.#accepted,
      statuses: Object.fromEntries(this.#statuses),
      latency: this.#latency.toData(),
      cpuShare: (user + system) / 1000 / (now - this.#measuredFrom),
      sent: this.#next,
      refused: [...this.#refused, ...this.#numberOf.values()],
      firstRefusal: this.#firstRefusal,
    }
  }
}
