import { NIL } from 'uuid'
import type { App } from '../app.ts'
import { DAY_MS } from '../kernel/durations.ts'
import { readClock } from '../platform/database/clock.ts'
import { OWNER_BATCH_SIZE } from './limits.ts'

/** Records that become old. Each belongs to an owner, such as an account or an endpoint. */
export interface OwnedRecords<Owner extends { id: string }> {
  /** The next owners after this id, in the order of their ids. */
  listOwners: (after: string, count: number) => Promise<Owner[]>
  /** Removes a batch of the owner's records that are older than `before`. Returns their number; 0 if none is left. */
  removeBatch: (owner: Owner, before: Date) => Promise<number>
}

/** Removes old records, owner by owner, in small batches. Any number of servers may run it. */
export class OldRecords<Owner extends { id: string }> {
  readonly #app: App
  readonly #retentionMs: number
  readonly #records: OwnedRecords<Owner>
  #owners: Owner[] = []
  /** The id of the last finished owner. */
  #lastOwnerId: string = NIL

  constructor(app: App, retentionDays: number, records: OwnedRecords<Owner>) {
    this.#app = app
    this.#retentionMs = retentionDays * DAY_MS
    this.#records = records
  }

  /**
   * Continues after the last batch, until the last owner at most. The next call then starts with the first owner. Returns the
   * number of removed records.
   * @param isOver called after each batch
   */
  async removeBatches(isOver: () => boolean): Promise<number> {
    const before = new Date((await readClock(this.#app.db.checks)).getTime() - this.#retentionMs)
    let removed = 0
    while (!isOver()) {
      const owner = this.#owners[0] ?? (await this.#nextOwner())
      if (owner === null) break
      const count = await this.#app.throttle.run(() => this.#records.removeBatch(owner, before))
      removed += count
      if (count === 0) this.#lastOwnerId = this.#owners.shift()?.id ?? NIL
    }
    return removed
  }

  /** Reads the next owners, and returns the first of them. Null after the last owner. */
  async #nextOwner(): Promise<Owner | null> {
    this.#owners = await this.#records.listOwners(this.#lastOwnerId, OWNER_BATCH_SIZE)
    const [next = null] = this.#owners
    if (next === null) this.#lastOwnerId = NIL
    return next
  }
}
