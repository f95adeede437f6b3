import type { Random } from '../random.ts'

/** A reused name is one of the newest. */
const MAX_RECENT = 8
const REUSE_CHANCE = 0.5

interface SharedName {
  name: string
  accountIds: Set<string>
}

/**
 * Names that are unique only within an account, such as idempotency keys. Several accounts use the same name, often
 * concurrently, so a service that looks a name up without the account gives a wrong answer.
 */
export class SharedNames {
  readonly #recent: SharedName[] = []

  /** A name that this account has not used: a recent one of another account, or a new one. */
  take(accountId: string, random: Random, newName: () => string): string {
    const unused = this.#recent.filter(({ accountIds }) => !accountIds.has(accountId))
    if (unused.length > 0 && random.chance(REUSE_CHANCE)) {
      const shared = random.pick(unused)
      shared.accountIds.add(accountId)
      return shared.name
    }
    const name = newName()
    this.#recent.push({ name, accountIds: new Set([accountId]) })
    if (this.#recent.length > MAX_RECENT) this.#recent.shift()
    return name
  }
}
