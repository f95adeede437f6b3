import { EventEmitter } from 'node:events'
import pg from 'pg'
import { type Answer, Backend, databaseError } from './backend.ts'
import type { Course } from './course.ts'
import type { Fault, Faults } from './faults.ts'
import type { Store } from './store.ts'

type Callback = (error: Error | null, result?: { rows: unknown[]; command: string }) => void
interface Sent {
  site: string
  values: readonly unknown[]
  callback: Callback
}

export interface Network {
  course: Course
  store: Store
  faults: Faults
  clients: Set<StoreClient>
  /** Connections that were in order and were given up within a transaction. */
  abandoned: string[]
}

const TERMINATED = 'Connection terminated unexpectedly'
const SITES = [
  [/^-- (\w+)/, (name: string) => name],
  [/^(BEGIN|COMMIT|ROLLBACK)$/, (word: string) => word],
  [/(clock_timestamp)/, () => 'read_clock'],
] as const

export function siteOf({ text, name }: { text: string; name?: string | undefined }): string {
  if (name) return name
  for (const [pattern, site] of SITES) {
    const found = pattern.exec(text)
    if (found) return site(found[1] as string)
  }
  throw new Error(`no statement of src/: ${text}`)
}

let made = 0

/** What pg-pool and src/ use of pg's Client, with its order of events; its statements go to the store. */
export class StoreClient extends EventEmitter {
  readonly name = `connection ${++made}`
  readonly connection = { stream: { destroy: () => process.nextTick(() => this.break()) } }
  readonly #network: Network
  readonly #backend: Backend
  readonly #waiting: Sent[] = []
  #sent: Sent | null = null
  #status: 'I' | 'T' | 'E' | null = null
  #connecting: ((error: Error | null) => void) | null = null
  #isAway = false
  #isSound = true
  #hasFailed = false
  /** pg-pool looks at these. */
  _ending = false
  _queryable = true

  constructor(network: Network) {
    super()
    this.#network = network
    this.#backend = new Backend(network.store, network.course, this.name)
  }

  /** Whether a statement is under way; one that has failed is not, though the store has yet to say that it is ready. */
  get isFree(): boolean {
    return !this.#isAway && (this.#sent === null || this.#hasFailed)
  }

  get isBusy(): boolean {
    return this.#sent !== null || this.#connecting !== null
  }

  connect(callback: (error: Error | null) => void): void {
    const { course, faults, clients } = this.#network
    this.#connecting = callback
    clients.add(this)
    const fault = faults.at('connect')
    if (fault?.kind === 'silence' || fault?.kind === 'silence after') return
    course.may(`${this.name} ${fault ? 'is refused' : 'connects'}`, () => {
      if (!this.#connecting) return
      this.#connecting = null
      if (!fault) this.#status = 'I'
      else this.#leave()
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
    this.#waiting.push({ site: siteOf(config), values: (config.values as unknown[]) ?? [], callback })
    this.#sendNext()
    return undefined
  }

  getTransactionStatus(): string | null {
    return this.#status
  }

  end(callback: () => void = () => {}): void {
    this._ending = true
    const isIdle = this.#status === null || this.#status === 'I'
    if (this.#isSound && !isIdle && !this.#isAway) this.#network.abandoned.push(this.name)
    if (this.#isAway) callback()
    else this.once('end', callback)
    if (this.#isAway) return
    if (this.isBusy || !this._queryable) this.break()
    else this.#network.course.may(`${this.name} says goodbye`, () => this.break())
  }

  /** The connection ends, as the store comes to see too, unless something is still on its way there. */
  break(isSeen = true): void {
    if (this.#isAway) return
    this.#leave()
    if (isSeen) {
      this.#network.course.may(`the store sees that ${this.name} is gone`, () => this.#backend.die())
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

  #leave(): void {
    this.#isAway = true
    this.#network.clients.delete(this)
  }

  #sendNext(): void {
    if (this.#sent || this.#isAway) return
    const sent = this.#waiting.shift()
    if (!sent) return
    this.#sent = sent
    this.#hasFailed = false
    this.#send(sent, this.#network.faults.at(sent.site))
  }

  #send(sent: Sent, fault: Fault | undefined): void {
    const { course } = this.#network
    const label = `${this.name}: ${sent.site}`
    if (fault && (fault.kind !== 'refusal' || /^(COMMIT|ROLLBACK)$/.test(sent.site))) this.#isSound = false
    const execute = (answer: (answer: Answer) => void) => () => this.#execute(sent, answer)
    const bring = (answer: Answer) => this.#bring(sent, answer)
    switch (fault?.kind) {
      case 'refusal':
        course.may(`${label} is refused with ${fault.code}`, () => this.#refuse(sent, fault.code))
        break
      case 'loss before':
        course.may(`${label} is lost on its way`, () => this.break())
        break
      case 'loss after':
        course.may(
          `${label}, and its answer is lost`,
          execute(() => this.break()),
        )
        break
      case 'loss, and it comes late':
        course.may(`${label} seems to be lost`, () => this.break(false))
        course.in(
          fault.ms,
          `${label} comes late`,
          execute(() => this.#backend.die()),
        )
        break
      case 'silence':
        course.tell(`${label} is never answered`)
        break
      case 'silence after':
        course.may(
          `${label} is done and never answered`,
          execute(() => {}),
        )
        break
      case 'delay':
        course.in(fault.ms, label, execute(bring))
        break
      case 'late answer':
        course.may(
          label,
          execute((answer) => course.in(fault.ms, `${label} is late`, () => bring(answer))),
        )
        break
      default:
        course.may(label, execute(bring))
    }
  }

  #refuse(sent: Sent, code: string): void {
    if (/^(57P|08)/.test(code)) this.#isSound = false
    this.#backend.fail(sent.site)
    this.#answer(sent, databaseError(code))
    if (code.startsWith('57P')) this.#network.course.may(`${this.name} is cut off`, () => this.break())
  }

  #execute({ site, values }: Sent, answer: (answer: Answer) => void): void {
    const patienceMs = site === 'move_kinds' ? (values[3] as number) : null
    if (site === 'connection_settings') answer({ rows: [{ set_config: 'public' }], command: 'SELECT' })
    else this.#backend.execute({ site, values, at: this.#network.store.now() }, patienceMs, answer)
  }

  #bring(sent: Sent, answer: Answer): void {
    const what = answer instanceof Error ? `fails: ${answer.message}` : 'is answered'
    this.#network.course.may(`${this.name}: ${sent.site} ${what}`, () => this.#answer(sent, answer))
  }

  /** After an error its status comes in a message of its own. */
  #answer(sent: Sent, answer: Answer): void {
    if (this.#sent !== sent) return
    const goOn = () => {
      this.#sent = null
      this.#status = this.#backend.status
      this.#sendNext()
    }
    this.#hasFailed = answer instanceof Error
    if (answer instanceof Error) {
      sent.callback(answer)
      this.#network.course.may(`${this.name} is ready again`, () => {
        if (this.#sent === sent) goOn()
      })
    } else {
      goOn()
      sent.callback(null, answer)
    }
  }
}

/** While it is installed the pools of src/ are pg's, and their connections lead to the network's store. */
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
  made = 0
  return () => {
    pg.Pool = Pool
  }
}
