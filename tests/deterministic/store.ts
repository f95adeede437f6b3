import type { Outcome, Status } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
import {
  type Backend,
  Blocked,
  databaseError,
  type Handler,
  Paused,
  type Query,
  type Row,
} from './backend.ts'
import { CHECK_HANDLERS } from './store-checks.ts'
import { SUBMISSION_HANDLERS } from './store-submissions.ts'

export interface StoredEvent {
  seq: number
  id: string
  type: string
  /** As JSON. */
  payload: string
  system: boolean
  createdAt: Date
  lateMs: number | null
}

export interface StoredClaim {
  id: string
  userId: string
  alias: string | null
  contract: Contract
  decisiveTypes: readonly string[]
  status: Status
  outcome: Outcome | null
  since: Date
  dueAt: Date | null
  eventCount: number
  logBytes: number
  testClockId: string | null
  createdAt: Date
  log: StoredEvent[]
  digest: Buffer | null
  lastEventAt: Date | null
  reviewStart: number | null
  /** Null for a contract of the five fields. */
  decidedCount: number | null
}

interface StoredClock {
  id: string
  userId: string
  frozenTime: Date
}

interface Lock {
  isShared: boolean
  by: Set<Backend>
}

const HANDLERS: Readonly<Record<string, Handler>> = { ...SUBMISSION_HANDLERS, ...CHECK_HANDLERS }

/**
 * PostgreSQL in memory: a handler for each statement of src/, with its guards, locks and transactions (READ COMMITTED).
 * `store-contract.test.ts` compares it with PostgreSQL.
 */
export class Store {
  readonly claims = new Map<string, StoredClaim>()
  readonly clocks = new Map<string, StoredClock>()
  /** Resolutions up to this time are in the totals. */
  mark = new Date(0)
  now: () => Date
  /** Events of this type violate a constraint. */
  refusedType = 'bomb'
  deadlocks = 0
  #nextId = 0
  readonly #locks = new Map<string, Lock>()
  #released: (() => void)[] = []

  constructor(now: () => Date) {
    this.now = now
  }

  perform(backend: Backend, query: Query): Row[] {
    const handler = HANDLERS[query.statement]
    if (!handler) throw new Error(`the store knows no statement ${query.statement}`)
    return handler(this, backend, query)
  }

  newId(): string {
    return `generated-${++this.#nextId}`
  }

  refuse(types: readonly string[]): void {
    if (types.includes(this.refusedType)) throw databaseError('P0001')
  }

  /** @throws Blocked if another backend holds the lock */
  lock(backend: Backend, what: string, isShared = false): void {
    if (!this.tryLock(backend, what, isShared)) {
      throw new Blocked([...(this.#locks.get(what) as Lock).by].filter((other) => other !== backend))
    }
  }

  /** Row by row, in this order. @throws Blocked, Paused */
  lockClaims(backend: Backend, ids: readonly string[]): void {
    for (const id of ids.filter((id) => this.claims.has(id))) {
      const isNew = !this.#locks.get(`claim ${id}`)?.by.has(backend)
      this.lock(backend, `claim ${id}`)
      if (isNew && id !== ids.at(-1)) throw new Paused()
    }
  }

  tryLock(backend: Backend, what: string, isShared = false): boolean {
    const held = this.#locks.get(what)
    if (!held) this.#locks.set(what, { isShared, by: new Set([backend]) })
    else if (held.by.has(backend) && (held.by.size === 1 || isShared)) held.isShared &&= isShared
    else if (held.isShared && isShared) held.by.add(backend)
    else return false
    return true
  }

  release(backend: Backend): void {
    let isAny = false
    for (const [what, { by }] of this.#locks) {
      isAny = by.delete(backend) || isAny
      if (by.size === 0) this.#locks.delete(what)
    }
    if (isAny) for (const resume of this.#released.splice(0)) resume()
  }

  get held(): string[] {
    return [...this.#locks.keys()]
  }

  onceReleased(resume: () => void): void {
    this.#released.push(resume)
  }

  /** Whether the backend waits for itself through others. */
  isDeadlock(backend: Backend): boolean {
    const seen = new Set<Backend>()
    const next = [...backend.waitsFor]
    for (let other = next.pop(); other; other = next.pop()) {
      if (other === backend) {
        this.deadlocks++
        return true
      }
      if (!seen.has(other)) next.push(...other.waitsFor)
      seen.add(other)
    }
    return false
  }
}
