import { LRUCache } from 'lru-cache'
import type { Contract } from '../../domain/contract/contract.ts'
import { type Hint, lookForHints } from '../../domain/contract/hints/hints.ts'
import { decimalsOf } from '../../domain/currency.ts'
import { endsWithin, owned } from '../../owned-promise.ts'
import { findAccount } from '../../storage/accounts/users.ts'
import type { Connection } from '../../storage/database/connection.ts'
import { inSlices } from '../in-slices.ts'

/** For the currency. */
const READ_TIMEOUT_MS = 1_000
/** Another server may have changed the currency. */
const CURRENCY_TTL_MS = 5_000
const MAX_ACCOUNTS = 10_000
const MAX_CONTRACTS = 200
/** Of a contract whose hints are kept. */
const MAX_KEPT_CHARACTERS = 8 * 1024

/** Hints to contracts that are created. Many claims have the same contract: its hints are looked for once. */
export class ContractHints {
  readonly #currencies = new LRUCache<string, { code: string | null }>({
    max: MAX_ACCOUNTS,
    ttl: CURRENCY_TTL_MS,
  })
  readonly #hints = new LRUCache<string, readonly Hint[]>({ max: MAX_CONTRACTS })

  /** Hints that the contract and the currency tell by themselves, without a look at the account's events. */
  async of(db: Connection, userId: string, contract: Contract): Promise<readonly Hint[]> {
    const currency = decimalsOf(contract.price) === 0 ? null : await this.currencyOf(db, userId)
    const key = `${currency} ${JSON.stringify(contract)}`
    const known = this.#hints.get(key)
    if (known) return known
    const hints = await inSlices(lookForHints(contract, undefined, currency))
    if (key.length <= MAX_KEPT_CHARACTERS) this.#hints.set(key, hints)
    return hints
  }

  /** Null also if it cannot be read: what was created must not fail for want of a hint. */
  async currencyOf(db: Connection, userId: string): Promise<string | null> {
    const known = this.#currencies.get(userId)
    if (known) return known.code
    const account = await endsWithin(READ_TIMEOUT_MS, owned(findAccount(db, userId))).catch(() => null)
    if (account) this.noteCurrency(userId, account.currency)
    return account?.currency ?? null
  }

  noteCurrency(userId: string, code: string | null): void {
    this.#currencies.set(userId, { code })
  }
}
