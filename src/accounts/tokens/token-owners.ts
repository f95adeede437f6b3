import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { withRejectionHandler } from '../../kernel/promises.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  MAX_CACHED_TOKENS,
  MAX_TRACKED_TOKEN_USES,
  REVOCATION_PROBE_INTERVAL_MS,
  REVOCATION_PROBE_TIMEOUT_MS,
  TOKEN_CACHE_TRUST_MS,
  TOKEN_USE_INTERVAL_SECONDS,
} from '../limits.ts'
import { type RevocationWatch, watchRevocations } from '../revocation-store.ts'
import { findTokenOwner, touchApiToken } from './api-token-store.ts'

interface CachedOwner {
  userId: string
  /** When the token expires, by performance.now(). */
  until: number
}

/**
 * A cache of the accounts of tokens. It is used only while a recent probe shows that notifications of revocations arrive;
 * otherwise each request reads the database. So a revoked token is rejected at once, and after TOKEN_CACHE_TRUST_MS at the latest if
 * its notification is lost.
 */
export class TokenOwners implements Lifecycle {
  readonly #db: Database
  readonly #cache = new LRUCache<string, CachedOwner>({ max: MAX_CACHED_TOKENS })
  readonly #stopping = new AbortController()
  #listening = Promise.resolve()
  #trustedUntil = 0
  /** Changes with each revocation: the result of a query that began before it may be out of date. */
  #generation = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** The account of the token with this SHA-256 hash; null if it is not cached. */
  cached(hash: Buffer): string | null {
    const now = performance.now()
    const owner = now < this.#trustedUntil ? this.#cache.get(keyOf(hash)) : undefined
    return owner && now < owner.until ? owner.userId : null
  }

  /**
   * The same from the cache or the database; null if the token is unknown, expired or revoked.
   * @param address the caller's: an address that tries many tokens uses up only its own quota of connections
   */
  async find(hash: Buffer, address: string): Promise<string | null> {
    const cached = this.cached(hash)
    if (cached !== null) return cached

    const generation = this.#generation
    const now = performance.now()
    const owner = await findTokenOwner(this.#db.callers.for(address), hash)
    if (owner && generation === this.#generation) {
      const until = now + (owner.expiresInMs ?? Infinity)
      this.#cache.set(keyOf(hash), { userId: owner.userId, until })
    }
    return owner?.userId ?? null
  }

  /** Listens, and listens again whenever the connection is lost. */
  async start(): Promise<void> {
    const first = await this.#listen().catch(() => null)
    this.#listening = withRejectionHandler(this.#keepListening(first))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#listening
  }

  async #keepListening(first: RevocationWatch | null): Promise<void> {
    const { signal } = this.#stopping
    let watch = first
    while (!signal.aborted) {
      await pause(REVOCATION_PROBE_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
      try {
        if (watch) await this.#catchUp(watch)
        else watch = await this.#listen()
      } catch {
        this.#trustedUntil = 0
        await watch?.close()
        watch = null
      }
    }
    this.#trustedUntil = 0
    await watch?.close()
  }

  async #listen(): Promise<RevocationWatch> {
    const watch = await watchRevocations(
      this.#db,
      (hash) => this.#forget(hash),
      () => {
        this.#trustedUntil = 0
      },
    )
    this.#generation++
    this.#cache.clear()
    try {
      await this.#catchUp(watch)
      return watch
    } catch (error) {
      await watch.close()
      throw error
    }
  }

  async #catchUp(watch: RevocationWatch): Promise<void> {
    const startedAt = performance.now()
    await watch.catchUp(REVOCATION_PROBE_TIMEOUT_MS)
    this.#trustedUntil = startedAt + TOKEN_CACHE_TRUST_MS
  }

  #forget(hash: Buffer): void {
    this.#generation++
    this.#cache.delete(keyOf(hash))
  }
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

/** Writes when tokens are used, at most once per interval each. The request does not wait for it. */
export class TokenUseRecorder implements Lifecycle {
  readonly #db: Database
  /** When the use of each token was last written, by its hash. */
  readonly #writtenAt = new Map<string, number>()
  readonly #pendingWrites = new Set<Promise<void>>()
  #isStopping = false

  constructor(db: Database) {
    this.#db = db
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#pendingWrites)
  }

  note({ userId, tokenHash }: { userId: string; tokenHash: Buffer }): void {
    const key = keyOf(tokenHash)
    const now = performance.now()
    const writtenAt = this.#writtenAt.get(key) ?? Number.NEGATIVE_INFINITY
    if (now - writtenAt < TOKEN_USE_INTERVAL_SECONDS * 1000 || this.#isStopping) return
    if (this.#writtenAt.size >= MAX_TRACKED_TOKEN_USES) this.#writtenAt.clear()
    this.#writtenAt.set(key, now)
    // A failed write is ignored: a later use writes again.
    const write: Promise<void> = touchApiToken(this.#db.callers.for(userId), tokenHash)
      .catch(() => {})
      .finally(() => this.#pendingWrites.delete(write))
    this.#pendingWrites.add(write)
  }
}
