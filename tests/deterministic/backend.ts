import pg from 'pg'
import type { Course } from './course.ts'
import type { Store } from './store.ts'

export type Row = Record<string, unknown>

/** A statement as it comes to the store. */
export interface Asked {
  /** Its name, or the first words of one without. */
  site: string
  values: readonly unknown[]
  /** When it came, by the store's clock. */
  at: Date
}

/** Its work: rows, or `Blocked` thrown where another holds what it needs. */
export type Handler = (store: Store, backend: Backend, asked: Asked) => Row[]

export type Answer = { rows: Row[]; command: string } | Error

export class Blocked {
  readonly by: ReadonlySet<Backend>

  constructor(by: Iterable<Backend>) {
    this.by = new Set(by)
  }
}

/** A row is locked, and the next one comes next: others may be faster. */
export class Paused {}

export function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError(`refused with ${code}`, 0, 'error')
  error.code = code
  return error
}

/**
 * One connection's end in the store: its transaction, its locks. What is written takes effect at the commit,
 * which for a statement outside of a transaction is a step of its own.
 */
export class Backend {
  readonly #store: Store
  readonly #course: Course
  readonly name: string
  status: 'I' | 'T' | 'E' = 'I'
  waitsFor: ReadonlySet<Backend> = new Set()
  #changes: (() => void)[] = []
  #isGone = false

  constructor(store: Store, course: Course, name: string) {
    this.#store = store
    this.#course = course
    this.name = name
  }

  /** Takes effect at the commit. */
  change(...changes: (() => void)[]): void {
    this.#changes.push(...changes)
  }

  execute(asked: Asked, lockTimeoutMs: number | null, answer: (answer: Answer) => void): void {
    if (this.#isGone) return
    const { site } = asked
    if (site === 'BEGIN' || site === 'COMMIT' || site === 'ROLLBACK') answer(this.#turn(site))
    else if (this.status === 'E') answer(databaseError('25P02'))
    else
      this.#attempt(
        asked,
        lockTimeoutMs === null ? Infinity : this.#course.time.nowMs + lockTimeoutMs,
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

  /** Nothing was done; in a transaction all of it is lost. */
  fail(site = ''): void {
    if (this.status === 'I' || site === 'COMMIT') this.#end(false)
    else this.status = 'E'
  }

  /** The client is gone, or the server ends it. */
  die(): void {
    this.#isGone = true
    this.#end(false)
  }

  #attempt(asked: Asked, until: number, answer: (answer: Answer) => void): void {
    if (this.#isGone) return
    this.waitsFor = new Set()
    try {
      const rows = this.#store.perform(this, asked)
      const done = () => this.#done(rows, answer)
      if (this.status !== 'I' || this.#changes.length === 0) done()
      else this.#course.may(`${this.name} commits ${asked.site}`, done)
    } catch (error) {
      if (error instanceof Paused) {
        const goOn = () => this.#attempt(asked, until, answer)
        this.#course.may(`${this.name} locks the next row for ${asked.site}`, goOn)
      } else if (error instanceof Blocked) this.#wait(error, asked, until, answer)
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

  #wait({ by }: Blocked, asked: Asked, until: number, answer: (answer: Answer) => void): void {
    this.waitsFor = by
    if (this.#store.isDeadlock(this)) {
      this.#refuse(databaseError('40P01'), answer)
      return
    }
    let isWaiting = true
    this.#store.onceReleased(() => {
      if (!isWaiting) return
      isWaiting = false
      this.#course.may(`${this.name} goes on with ${asked.site}`, () => this.#attempt(asked, until, answer))
    })
    if (until === Infinity) return
    setTimeout(() => {
      if (!isWaiting || this.#isGone) return
      isWaiting = false
      this.#refuse(databaseError('55P03'), answer)
    }, until - this.#course.time.nowMs)
  }

  #end(isCommitted: boolean): void {
    if (isCommitted) for (const change of this.#changes) change()
    this.#changes = []
    this.status = 'I'
    this.#store.release(this)
  }
}
