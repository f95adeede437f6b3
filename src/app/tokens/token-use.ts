import { touchApiToken } from '../../storage/accounts/api-tokens.ts'
import type { App } from '../app.ts'
import type { Authenticated } from './authenticate-token.ts'

const MINUTE_MS = 60_000
/** Tokens that are remembered; beyond, they are written more often than they need to be. */
const MAX_REMEMBERED = 10_000

/** Notes when tokens are used, at most once a minute each, while the request goes on. */
export class TokenUse {
  readonly #app: App
  /** When each was noted last, by its hash. */
  readonly #notedAt = new Map<string, number>()

  constructor(app: App) {
    this.#app = app
  }

  note({ userId, tokenHash }: Authenticated): void {
    const key = tokenHash.toString('latin1')
    const now = performance.now()
    if (now - (this.#notedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return
    if (this.#notedAt.size >= MAX_REMEMBERED) this.#notedAt.clear()
    this.#notedAt.set(key, now)
    // What cannot be written now is written with the next minute's use: nothing depends on it.
    touchApiToken(this.#app.db.callers.for(userId), tokenHash).catch(() => {})
  }
}
