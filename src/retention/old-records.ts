import { NIL as FIRST_ID } from 'uuid'
import type { App } from '../app.ts'
import { readClock } from '../platform/database/clock.ts'
import { OWNER_BATCH_SIZE } from './limits.ts'

const DAY_MS = 24 * 3_600_000

/** Records that are kept for a time, and belong each to an account, an endpoint or the like. */
export interface OwnedRecords<Owner extends { id: string }> {
  /** The next owners after this id, in the order of their ids. */
  listOwners: (after: string, count: number) => Promise<Owner[]>
  /** Removes a batch of this owner's of before this time. Returns how many; 0 if no more is to be done. */
  removeBatch: (owner: Owner, before: Date) => Promise<number>
}

/** Removes what has been kept for long enough, owner by owner, in small batches. Safe with any number of servers. */
export class OldRecords<Owner extends { id: string }> {
  readonly #app: App
  readonly #keptMs: number
  readonly #records: OwnedRecords<Owner>
  #owners: Owner[] = []
  /** All up to this one were looked at. */
  #last: string = FIRST_ID

  constructor(app: App, keptDays: number, records: OwnedRecords<Owner>) {
    this.#app = app
    this.#keptMs = keptDays * DAY_MS
    this.#records = records
  }

  /**
   * Goes on where it was, and once round at most. Returns how many were removed.
   * @param isOver asked after each batch
   */
  async removeSome(isOver: () => boolean): Promise<number> {
    const before = new Date((await readClock(this.#app.db.checks)).getTime() - this.#keptMs)
    let removed = 0
    while (!isOver()) {
      const owner = this.#owners[0] ?? (await this.#readOwners())
      if (owner === null) break
      const some = await this.#app.throttle.run(() => this.#records.removeBatch(owner, before))
      removed += some
      if (some === 0) this.#last = this.#owners.shift()?.id ?? FIRST_ID
    }
    return removed
  }

  /** The next owner; null at the end, after which it begins anew. */
  async #readOwners(): Promise<Owner | null> {
    this.#owners = await this.#records.listOwners(this.#last, OWNER_BATCH_SIZE)
    const [next = null] = this.#owners
    if (next === null) this.#last = FIRST_ID
    return next
  }
}
