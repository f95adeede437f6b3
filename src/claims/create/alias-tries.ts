import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.ts'

/** Aliases of other accounts that an account is told of in a minute, by each server. */
const MOST_TOLD = 100
const WINDOW_MS = 60_000
/** Accounts that are remembered at the same time. */
const MOST_ACCOUNTS = 10_000

interface Tries {
  /** In this window, which ends at this time by performance.now(). */
  told: number
  endsAt: number
  /** Aliases under way, of which it is not known yet whose they are. */
  open: number
}

/**
 * Aliases are unique over all accounts, so a conflict tells that somebody has the alias. How fast one account learns of
 * such is bounded; its own aliases do not count.
 */
export class AliasTries {
  readonly #tries = new LRUCache<string, Tries>({ max: MOST_ACCOUNTS })

  /** Whether all of so many aliases may turn out to be others'. If so, say with `close` how many did. */
  open(userId: string, aliases: number): boolean {
    const tries = this.#of(userId)
    if (tries.told + tries.open + aliases > MOST_TOLD) return false
    tries.open += aliases
    return true
  }

  close(userId: string, aliases: number, told: number): void {
    const tries = this.#of(userId)
    tries.open = Math.max(0, tries.open - aliases)
    tries.told += told
  }

  /** Whether the account may be told of one more. Those under way come on top, at most once as many. */
  mayTell(userId: string): boolean {
    return this.#of(userId).told < MOST_TOLD
  }

  /** Counts one more, if the account may be told of it. */
  tell(userId: string): boolean {
    if (!this.mayTell(userId)) return false
    this.#of(userId).told++
    return true
  }

  /** What is answered in place of whether the alias is taken. */
  refusal(userId: string): ServiceError {
    const seconds = Math.max(1, Math.ceil((this.#of(userId).endsAt - performance.now()) / 1000))
    return new ServiceError(
      'RATE_LIMITED',
      `Too many of the aliases were taken by other accounts; try again in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    )
  }

  #of(userId: string): Tries {
    const now = performance.now()
    const tries = this.#tries.get(userId) ?? { told: 0, endsAt: 0, open: 0 }
    if (now >= tries.endsAt) Object.assign(tries, { told: 0, endsAt: now + WINDOW_MS })
    this.#tries.set(userId, tries)
    return tries
  }
}
