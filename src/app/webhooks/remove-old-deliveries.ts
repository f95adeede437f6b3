import { NIL as FIRST_ID } from 'uuid'
import { readClock } from '../../storage/database/clock.ts'
import { listAllEndpoints, removeDeliveries, removeEndpoint } from '../../storage/webhooks/removal.ts'
import type { App } from '../app.ts'
import { letSubmissionsPass } from '../let-submissions-pass.ts'

const DAY_MS = 24 * 3_600_000
/** Endpoints that are read at a time. */
const ENDPOINTS = 1_000

/**
 * Removes deliveries that have been kept for long enough, endpoint by endpoint, in small batches, and all that is left of
 * deleted endpoints. Safe with any number of servers.
 */
export class OldDeliveries {
  readonly #app: App
  readonly #keptMs: number
  #endpoints: { id: string; isDeleted: boolean }[] = []
  /** All up to this one were looked at. */
  #last: string = FIRST_ID

  constructor(app: App, keptDays: number) {
    this.#app = app
    this.#keptMs = keptDays * DAY_MS
  }

  /**
   * Goes on where it was, and once round at most. Returns how many were removed.
   * @param isOver asked after each batch
   */
  async removeSome(isOver: () => boolean): Promise<number> {
    const db = this.#app.db.checks
    const before = new Date((await readClock(db)).getTime() - this.#keptMs)
    let removed = 0
    while (!isOver()) {
      const endpoint = this.#endpoints[0] ?? (await this.#readEndpoints())
      if (endpoint === null) break
      const some = await removeDeliveries(db, endpoint.id, endpoint.isDeleted ? null : before)
      removed += some
      if (some > 0) {
        await letSubmissionsPass(this.#app)
        continue
      }
      if (endpoint.isDeleted) await removeEndpoint(db, endpoint.id)
      this.#last = this.#endpoints.shift()?.id ?? FIRST_ID
    }
    return removed
  }

  /** The next endpoint; null at the end, after which it begins anew. */
  async #readEndpoints(): Promise<{ id: string; isDeleted: boolean } | null> {
    this.#endpoints = await listAllEndpoints(this.#app.db.checks, this.#last, ENDPOINTS)
    const [next = null] = this.#endpoints
    if (next === null) this.#last = FIRST_ID
    return next
  }
}
