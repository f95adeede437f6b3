import { NIL } from 'uuid'
import type { App } from '../app.ts'
import { readClock } from '../platform/database/clock.ts'
import { OWNER_BATCH_SIZE } from './limits.ts'

const DAY_MS = 24 * 3_600_000

/** Records that expire. Each belongs to an owner, such as an account or an endpoint. */
export interface OwnedRecords<Owner extends { id: string }> {
  /** The next owners after this id, in the order of their ids. */
  listOwners: (after: string, count: number) => Promise<Owner[]>
  /** Removes a batch of the owner's records from before the time. Returns their number; 0 if the owner is finished. */
  removeBatch: (owner: Owner, before: Date) => Promise<number>
}

/** Removes expired records, owner by owner, in small batches. Any number of servers may run it. */
export class OldRecords<Owner extends { id: string }> {
  readonly #app: App
  readonly #keptMs: number
  readonly #records: OwnedRecords<Owner>
  #owners: Owner[] = []
  /** The last finished owner. */
  #last: string = NIL

  constructor(app: App, keptDays: number, records: OwnedRecords<Owner>) {
    this.#app = app
    this.#keptMs = keptDays * DAY_MS
    this.#records = records
  }

  /**
   * Continues after the last batch, for one round over all owners at most. Returns the number of removed records.
   * @param isOver called after each batch
   */
  async removeSome(isOver: () => boolean): Promise<number> {
    const before = new Date((await readClock(this.#app.db.checks)).getTime() - this.#keptMs)
    let removed = 0
    while (!isOver()) {
      const owner = this.#owners[0] ?? (await this.#readOwners())
      if (owner === null) break
      const some = await this.#app.throttle.run(() => this.#records.removeBatch(owner, before))
      removed += some
      if (some === 0) this.#last = this.#owners.shift()?.id ?? NIL
    }
    return removed
  }

  /** The next owner. Null at the end; the next call starts again. */
  async #readOwners(): Promise<Owner | null> {
    this.#owners = await this.#records.listOwners(this.#last, OWNER_BATCH_SIZE)
    const [next = null] = this.#owners
    if (next === null) this.#last = NIL
    return next
  }
}
