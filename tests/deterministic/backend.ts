import pg from 'pg'
import type { StepScheduler } from './step-scheduler.ts'
import type { Store } from './store.ts'

export type Row = Record<string, unknown>

/** A statement as the store receives it. */
export interface Query {
  /** The name, or the keyword of a statement without a name. */
  statement: string
  values: readonly unknown[]
  /** The time of arrival by the store's clock. */
  at: Date
}

/** Returns rows. Throws `Blocked` if another backend holds a lock. */
export type Handler = (store: Store, backend: Backend, query: Query) => Row[]

export type Answer = { rows: Row[]; command: string } | Error

export class Blocked {
  readonly by: ReadonlySet<Backend>

  constructor(by: Iterable<Backend>) {
    this.by = new Set(by)
  }
}

/** Thrown after each locked row: another backend may lock the next one first. */
export class Paused {}

export function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError(`refused with ${code}`, 0, 'error')
  error.code = code
  return error
}

/**
 * The server's side of a connection: its transaction and its locks. Writes take effect at the commit. The commit of a
 * statement outside a transaction is a separate step.
 */
export class Backend {
  readonly #store: Store
  readonly #scheduler: StepScheduler
  readonly name: string
  status: 'I' | 'T' | 'E' = 'I'
  waitsFor: ReadonlySet<Backend> = new Set()
  #changes: (() => void)[] = []
  #isGone = false

  constructor(store: Store, scheduler: StepScheduler, name: string) {
    this.#store = store
    this.#scheduler = scheduler
    this.name = name
  }

  /** Adds changes that the commit applies. */
  change(...changes: (() => void)[]): void {
    this.#changes.push(...changes)
  }

  execute(query: Query, lockTimeoutMs: number | null, answer: (answer: Answer) => void): void {
    if (this.#isGone) return
    const { statement } = query
    if (statement === 'BEGIN' || statement === 'COMMIT' || statement === 'ROLLBACK')
      answer(this.#turn(statement))
    else if (this.status === 'E') answer(databaseError('25P02'))
    else
      this.#attempt(
        query,
        lockTimeoutMs === null ? Infinity : this.#scheduler.time.nowMs + lockTimeoutMs,
        answer,
      )
  }

  #turn(to: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): Answer {
    // PostgreSQL warns only; src/ never does it.
    if (to === 'BEGIN' && this.status !== 'I') throw new Error('BEGIN within a transaction')
    const command = to === 'COMMIT' && this.status !== 'T' ? 'ROLLBACK' : to
    if (to === 'BEGIN') this.status = 'T'
    else this.#end(command === 'COMMIT')
    return { rows: [], command }
  }

  /** Rolls the statement back, and aborts the transaction. */
  fail(statement = ''): void {
    if (this.status === 'I' || statement === 'COMMIT') this.#end(false)
    else this.status = 'E'
  }

  /** Ends the backend: the client disconnected, or the server terminates it. */
  die(): void {
    this.#isGone = true
    this.#end(false)
  }

  #attempt(query: Query, until: number, answer: (answer: Answer) => void): void {
    if (this.#isGone) return
    this.waitsFor = new Set()
    try {
      const rows = this.#store.perform(this, query)
      const done = () => this.#done(rows, answer)
      if (this.status !== 'I' || this.#changes.length === 0) done()
      else this.#scheduler.schedule(`${this.name} commits ${query.statement}`, done)
    } catch (error) {
      if (error instanceof Paused) {
        const retry = () => this.#attempt(query, until, answer)
        this.#scheduler.schedule(`${this.name} locks the next row for ${query.statement}`, retry)
      } else if (error instanceof Blocked) this.#wait(error, query, until, answer)
      else this.#refuse(error as Error, answer)
    }
  }

  #refuse(error: Error, answer: (answer: Answer) => void): void {
    this.waitsFor = new Set()
    this.fail()
    answer(error)
  }

  #done(rows: Row[], answer: (answer: Answer) => void): void {
    if (this.#isGone) return
    if (this.status === 'I') this.#end(true)
    answer({ rows, command: 'SELECT' })
  }

  #wait({ by }: Blocked, query: Query, until: number, answer: (answer: Answer) => void): void {
    this.waitsFor = by
    if (this.#store.isDeadlock(this)) {
      this.#refuse(databaseError('40P01'), answer)
      return
    }
    let isWaiting = true
    this.#store.onceReleased(() => {
      if (!isWaiting) return
      isWaiting = false
      this.#scheduler.schedule(`${this.name} continues ${query.statement}`, () =>
        this.#attempt(query, until, answer),
      )
    })
    if (until === Infinity) return
    setTimeout(() => {
      if (!isWaiting || this.#isGone) return
      isWaiting = false
      this.#refuse(databaseError('55P03'), answer)
    }, until - this.#scheduler.time.nowMs)
  }

  #end(isCommitted: boolean): void {
    if (isCommitted) for (const change of this.#changes) change()
    this.#changes = []
    this.status = 'I'
    this.#store.release(this)
  }
}
