import { EventEmitter } from 'node:events'
import pg from 'pg'
import { type Answer, Backend, databaseError } from './backend.ts'
import type { Fault, Faults } from './faults.ts'
import type { StepScheduler } from './step-scheduler.ts'
import type { Store } from './store.ts'

type Callback = (error: Error | null, result?: { rows: unknown[]; command: string }) => void
interface Sent {
  statement: string
  values: readonly unknown[]
  callback: Callback
}

export interface Network {
  scheduler: StepScheduler
  store: Store
  faults: Faults
  clients: Set<StoreClient>
  /** Connections that worked, but that the client closed within a transaction. */
  abandoned: string[]
}

const TERMINATED = 'Connection terminated unexpectedly'
const STATEMENT_PATTERNS = [
  [/^-- (\w+)/, (name: string) => name],
  [/^(BEGIN|COMMIT|ROLLBACK)$/, (word: string) => word],
  [/(clock_timestamp)/, () => 'read_clock'],
] as const

export function statementNameOf({ text, name }: { text: string; name?: string | undefined }): string {
  if (name) return name
  for (const [pattern, statement] of STATEMENT_PATTERNS) {
    const found = pattern.exec(text)
    if (found) return statement(found[1] as string)
  }
  throw new Error(`not a statement of src/: ${text}`)
}

let clientCount = 0

/** The part of `Client` of pg that pg-pool and src/ use. It emits events in the same order, and sends statements to the store. */
export class StoreClient extends EventEmitter {
  readonly name = `connection ${++clientCount}`
  readonly connection = { stream: { destroy: () => process.nextTick(() => this.break()) } }
  readonly #network: Network
  readonly #backend: Backend
  readonly #waiting: Sent[] = []
  #sent: Sent | null = null
  #status: 'I' | 'T' | 'E' | null = null
  #connecting: ((error: Error | null) => void) | null = null
  #isClosed = false
  #isIntact = true
  #hasFailed = false
  /** Private fields of `Client` that pg-pool reads. */
  _ending = false
  _queryable = true

  constructor(network: Network) {
    super()
    this.#network = network
    this.#backend = new Backend(network.store, network.scheduler, this.name)
  }

  /** Whether no statement is in progress. A failed statement is not in progress, although the store is not ready for the next one. */
  get isFree(): boolean {
    return !this.#isClosed && (this.#sent === null || this.#hasFailed)
  }

  get isBusy(): boolean {
    return this.#sent !== null || this.#connecting !== null
  }

  connect(callback: (error: Error | null) => void): void {
    const { scheduler, faults, clients } = this.#network
    this.#connecting = callback
    clients.add(this)
    const fault = faults.at('connect')
    if (fault?.kind === 'silence' || fault?.kind === 'silence after') return
    scheduler.schedule(`${this.name} ${fault ? 'is refused' : 'connects'}`, () => {
      if (!this.#connecting) return
      this.#connecting = null
      if (!fault) this.#status = 'I'
      else this.#markClosed()
      callback(fault ? databaseError('57P03') : null)
    })
  }

  query(
    config: pg.QueryConfig & { query_timeout?: number },
    callback?: Callback,
  ): Promise<unknown> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('Query read timeout')), config.query_timeout)
        void this.query(config, (error, result) => {
          clearTimeout(late)
          if (error) reject(error)
          else resolve(result)
        })
      })
    }
    if (this._ending || !this._queryable) {
      const error = new Error(this._ending ? 'Client was closed and is not queryable' : TERMINATED)
      process.nextTick(() => callback(error))
      return undefined
    }
    this.#waiting.push({
      statement: statementNameOf(config),
      values: (config.values as unknown[]) ?? [],
      callback,
    })
    this.#sendNext()
    return undefined
  }

  getTransactionStatus(): string | null {
    return this.#status
  }

  end(callback: () => void = () => {}): void {
    this._ending = true
    const isIdle = this.#status === null || this.#status === 'I'
    if (this.#isIntact && !isIdle && !this.#isClosed) this.#network.abandoned.push(this.name)
    if (this.#isClosed) callback()
    else this.once('end', callback)
    if (this.#isClosed) return
    if (this.isBusy || !this._queryable) this.break()
    else this.#network.scheduler.schedule(`${this.name} is closed by the client`, () => this.break())
  }

  /** Breaks the connection. @param isSeen false: the store does not notice, because a statement is still on its way */
  break(isSeen = true): void {
    if (this.#isClosed) return
    this.#markClosed()
    if (isSeen) {
      this.#network.scheduler.schedule(`the store sees that ${this.name} is gone`, () => this.#backend.die())
    }
    const error = new Error(this._ending ? 'Connection terminated' : TERMINATED)
    for (const { callback } of [this.#sent ?? [], ...this.#waiting.splice(0)].flat()) {
      process.nextTick(() => callback(error))
    }
    this.#sent = null
    if (this.#connecting) this.#connecting(error)
    else if (!this._ending) {
      this._queryable = false
      this.emit('error', error)
    }
    this.#connecting = null
    process.nextTick(() => this.emit('end'))
  }

  #markClosed(): void {
    this.#isClosed = true
    this.#network.clients.delete(this)
  }

  #sendNext(): void {
    if (this.#sent || this.#isClosed) return
    const sent = this.#waiting.shift()
    if (!sent) return
    this.#sent = sent
    this.#hasFailed = false
    this.#send(sent, this.#network.faults.at(sent.statement))
  }

  #send(sent: Sent, fault: Fault | undefined): void {
    const { scheduler } = this.#network
    const label = `${this.name}: ${sent.statement}`
    if (fault && (fault.kind !== 'refusal' || /^(COMMIT|ROLLBACK)$/.test(sent.statement)))
      this.#isIntact = false
    const execute = (answer: (answer: Answer) => void) => () => this.#execute(sent, answer)
    const deliver = (answer: Answer) => this.#deliver(sent, answer)
    switch (fault?.kind) {
      case 'refusal':
        scheduler.schedule(`${label} is refused with ${fault.code}`, () => this.#refuse(sent, fault.code))
        break
      case 'loss before':
        scheduler.schedule(`${label} is lost on its way`, () => this.break())
        break
      case 'loss after':
        scheduler.schedule(
          `${label}, and its answer is lost`,
          execute(() => this.break()),
        )
        break
      case 'loss, and it comes late':
        scheduler.schedule(`${label} seems to be lost`, () => this.break(false))
        scheduler.scheduleIn(
          fault.ms,
          `${label} comes late`,
          execute(() => this.#backend.die()),
        )
        break
      case 'silence':
        scheduler.log(`${label} is never answered`)
        break
      case 'silence after':
        scheduler.schedule(
          `${label} is done and never answered`,
          execute(() => {}),
        )
        break
      case 'delay':
        scheduler.scheduleIn(fault.ms, label, execute(deliver))
        break
      case 'late answer':
        scheduler.schedule(
          label,
          execute((answer) => scheduler.scheduleIn(fault.ms, `${label} is late`, () => deliver(answer))),
        )
        break
      default:
        scheduler.schedule(label, execute(deliver))
    }
  }

  #refuse(sent: Sent, code: string): void {
    if (/^(57P|08)/.test(code)) this.#isIntact = false
    this.#backend.fail(sent.statement)
    this.#answer(sent, databaseError(code))
    if (code.startsWith('57P'))
      this.#network.scheduler.schedule(`${this.name} is cut off`, () => this.break())
  }

  #execute({ statement, values }: Sent, answer: (answer: Answer) => void): void {
    const lockTimeoutMs = statement === 'move_kinds' ? (values[3] as number) : null
    if (statement === 'connection_settings') answer({ rows: [{ set_config: 'public' }], command: 'SELECT' })
    else this.#backend.execute({ statement, values, at: this.#network.store.now() }, lockTimeoutMs, answer)
  }

  #deliver(sent: Sent, answer: Answer): void {
    const what = answer instanceof Error ? `fails: ${answer.message}` : 'is answered'
    this.#network.scheduler.schedule(`${this.name}: ${sent.statement} ${what}`, () =>
      this.#answer(sent, answer),
    )
  }

  /** As in PostgreSQL, the transaction status follows an error in a separate message (ReadyForQuery). */
  #answer(sent: Sent, answer: Answer): void {
    if (this.#sent !== sent) return
    const finish = () => {
      this.#sent = null
      this.#status = this.#backend.status
      this.#sendNext()
    }
    this.#hasFailed = answer instanceof Error
    if (answer instanceof Error) {
      sent.callback(answer)
      this.#network.scheduler.schedule(`${this.name} is ready again`, () => {
        if (this.#sent === sent) finish()
      })
    } else {
      finish()
      sent.callback(null, answer)
    }
  }
}

/** Replaces `pg.Pool`, so that the pools of src/ connect to the store. Returns a function that restores `pg.Pool`. */
export function installStore(network: Network): () => void {
  const { Pool } = pg
  pg.Pool = class extends Pool {
    constructor(options: pg.PoolConfig) {
      const Client = class extends StoreClient {
        constructor() {
          super(network)
        }
      }
      super({ ...options, Client } as unknown as pg.PoolConfig)
    }
  } as typeof pg.Pool
  clientCount = 0
  return () => {
    pg.Pool = Pool
  }
}
