import type { Part } from '../../kernel/part.ts'
import type { Database } from '../../platform/database/database.ts'
import { touchApiToken } from './api-token-store.ts'

const MINUTE_MS = 60_000
/** Tokens that are remembered; beyond, they are written more often than they need to be. */
const MAX_REMEMBERED = 10_000

/** Notes when tokens are used, at most once a minute each, while the request goes on. */
export class TokenUse implements Part {
  readonly #db: Database
  /** When each was noted last, by its hash. */
  readonly #notedAt = new Map<string, number>()
  readonly #underWay = new Set<Promise<void>>()
  #isStopping = false

  constructor(db: Database) {
    this.#db = db
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#underWay)
  }

  note({ userId, tokenHash }: { userId: string; tokenHash: Buffer }): void {
    const key = tokenHash.toString('latin1')
    const now = performance.now()
    if (now - (this.#notedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS || this.#isStopping) return
    if (this.#notedAt.size >= MAX_REMEMBERED) this.#notedAt.clear()
    this.#notedAt.set(key, now)
    // What cannot be written now is written with the next minute's use: nothing depends on it.
    const writing: Promise<void> = touchApiToken(this.#db.callers.for(userId), tokenHash)
      .catch(() => {})
      .finally(() => this.#underWay.delete(writing))
    this.#underWay.add(writing)
  }
}
