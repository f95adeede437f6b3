import { NIL } from 'uuid'
import type { App } from '../app.ts'
import { SCANNED_CLAIMS_BATCH_SIZE, UNUSED_CONTRACTS_BATCH_SIZE, UNUSED_MARK_MS } from './limits.ts'
import {
  findUnusedContracts,
  removeContracts,
  scanForUses,
  type UnusedContract,
  unmarkContracts,
} from './unused-contract-store.ts'

/**
 * Removes contracts of deleted test clocks that no claim uses. An index by contract would slow down every creation,
 * so all claims are scanned, a few seconds at a time, if a contract is marked. Any number of servers may run it. A
 * server that restarts begins the scan again.
 */
export class UnusedContracts {
  readonly #app: App
  /** Contracts without a known claim so far. */
  #unused: UnusedContract[] = []
  /** The last scanned claim id. */
  #lastScannedId: string = NIL

  constructor(app: App) {
    this.#app = app
  }

  /**
   * Continues the scan. Returns the number of removed contracts.
   * @param isOver called after each batch
   */
  async removeBatches(isOver: () => boolean): Promise<number> {
    const db = this.#app.db.checks
    if (this.#unused.length === 0) {
      this.#lastScannedId = NIL
      this.#unused = await findUnusedContracts(db, UNUSED_MARK_MS, UNUSED_CONTRACTS_BATCH_SIZE)
    }
    while (this.#unused.length > 0) {
      const { lastId, used } = await this.#app.throttle.run(() =>
        scanForUses(db, this.#unused, this.#lastScannedId, SCANNED_CLAIMS_BATCH_SIZE),
      )
      if (lastId === null) {
        const removed = await removeContracts(db, this.#unused)
        this.#unused = []
        return removed
      }
      if (used.length > 0) await unmarkContracts(db, used)
      this.#unused = this.#unused.filter((contract) => !used.includes(contract))
      this.#lastScannedId = lastId
      if (isOver()) break
    }
    return 0
  }
}
