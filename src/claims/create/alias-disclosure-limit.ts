import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.ts'
import { FOREIGN_ALIAS_WINDOW_MS, MAX_ALIAS_WINDOWS, MAX_FOREIGN_ALIASES_PER_WINDOW } from '../limits.ts'

interface Window {
  /** Aliases of other accounts that the account has learned of in this window. */
  disclosed: number
  /** By performance.now(). */
  endsAt: number
  /** Aliases of requests in progress, whose owners are not known yet. */
  reserved: number
}

/**
 * Limits how many aliases of other accounts an account learns of. Aliases are unique over all accounts, so a conflict discloses
 * that another account has the alias. The account's own aliases do not count.
 */
export class AliasDisclosureLimit {
  readonly #windows = new LRUCache<string, Window>({ max: MAX_ALIAS_WINDOWS })

  /** Whether all of these aliases may belong to others. If true, the caller calls `settle` with the result. */
  reserve(userId: string, aliases: number): boolean {
    const window = this.#of(userId)
    if (window.disclosed + window.reserved + aliases > MAX_FOREIGN_ALIASES_PER_WINDOW) return false
    window.reserved += aliases
    return true
  }

  settle(userId: string, aliases: number, disclosed: number): void {
    const window = this.#of(userId)
    window.reserved = Math.max(0, window.reserved - aliases)
    window.disclosed += disclosed
  }

  /** Whether the account may learn of one more alias. Reserved aliases do not count: they at most double the limit. */
  hasRoom(userId: string): boolean {
    return this.#of(userId).disclosed < MAX_FOREIGN_ALIASES_PER_WINDOW
  }

  /** Counts one more alias, if there is room. */
  disclose(userId: string): boolean {
    if (!this.hasRoom(userId)) return false
    this.#of(userId).disclosed++
    return true
  }

  /** The error beyond the limit. It does not say whether the alias is taken. */
  error(userId: string): ServiceError {
    const seconds = Math.max(1, Math.ceil((this.#of(userId).endsAt - performance.now()) / 1000))
    return new ServiceError(
      'RATE_LIMITED',
      `Too many of the aliases were taken by other accounts. Try again in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    )
  }

  #of(userId: string): Window {
    const now = performance.now()
    const window = this.#windows.get(userId) ?? { disclosed: 0, endsAt: 0, reserved: 0 }
    if (now >= window.endsAt) Object.assign(window, { disclosed: 0, endsAt: now + FOREIGN_ALIAS_WINDOW_MS })
    this.#windows.set(userId, window)
    return window
  }
}
