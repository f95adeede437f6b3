import { NIL as FIRST_ID } from 'uuid'
import type { App } from '../app.ts'
import { SCANNED_CLAIMS_BATCH_SIZE, UNUSED_CONTRACTS_BATCH_SIZE, UNUSED_MARK_MS } from './limits.ts'
import {
  findUnusedContracts,
  findUses,
  keepContracts,
  removeContracts,
  type UnusedContract,
} from './unused-contract-store.ts'

/**
 * Removes the contracts of deleted test clocks that no claim is under any more. There is no index by contract, which
 * each claim would pay for: all claims are looked through, a few seconds at a time, if there is anything to look for.
 * Safe with any number of servers. One that stops begins anew.
 */
export class UnusedContracts {
  readonly #app: App
  /** Those for which no claim was found so far. */
  #unused: UnusedContract[] = []
  #lookedUpTo: string = FIRST_ID

  constructor(app: App) {
    this.#app = app
  }

  /**
   * Goes on looking. Returns how many contracts were removed.
   * @param isOver asked after each batch
   */
  async removeSome(isOver: () => boolean): Promise<number> {
    const db = this.#app.db.checks
    if (this.#unused.length === 0) {
      this.#lookedUpTo = FIRST_ID
      this.#unused = await findUnusedContracts(db, UNUSED_MARK_MS, UNUSED_CONTRACTS_BATCH_SIZE)
    }
    while (this.#unused.length > 0) {
      const { lastId, used } = await this.#app.throttle.run(() =>
        findUses(db, this.#unused, this.#lookedUpTo, SCANNED_CLAIMS_BATCH_SIZE),
      )
      if (lastId === null) {
        const removed = await removeContracts(db, this.#unused)
        this.#unused = []
        return removed
      }
      if (used.length > 0) await keepContracts(db, used)
      this.#unused = this.#unused.filter((contract) => !used.includes(contract))
      this.#lookedUpTo = lastId
      if (isOver()) break
    }
    return 0
  }
}
