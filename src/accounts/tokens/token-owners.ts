import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { withRejectionHandler } from '../../kernel/promises.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import type { Database } from '../../platform/database/database.ts'
import { type RevocationWatch, watchRevocations } from '../revocation-store.ts'
import { findTokenOwner, touchApiToken } from './api-token-store.ts'

/** How often it is made sure that revocations are heard, and for how long that is good. */
const CATCH_UP_EVERY_MS = 1_000
export const LONGEST_TRUST_MS = 3_000
const CATCH_UP_TIMEOUT_MS = 1_000
const MOST_TOKENS = 10_000

interface Remembered {
  userId: string
  /** When the token expires, by performance.now(). */
  until: number
}

/**
 * The accounts of tokens, remembered while revocations are heard; otherwise the database is asked each time. So a
 * revoked token is refused at once, and if the word of it does not arrive, three seconds later at most.
 */
export class TokenOwners implements Lifecycle {
  readonly #db: Database
  readonly #remembered = new LRUCache<string, Remembered>({ max: MOST_TOKENS })
  readonly #stopping = new AbortController()
  #listening = Promise.resolve()
  #trustedUntil = 0
  /** Changed with each revocation: what was asked before may be out of date. */
  #generation = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** The account of the token with this SHA-256 hash; null if the database has to be asked. */
  remembered(hash: Buffer): string | null {
    const now = performance.now()
    const remembered = now < this.#trustedUntil ? this.#remembered.get(keyOf(hash)) : undefined
    return remembered && now < remembered.until ? remembered.userId : null
  }

  /**
   * The same, asked for if it is not remembered; null if the token is unknown, expired or revoked.
   * @param address of who came with it: who tries many tokens waits in a line of his own
   */
  async find(hash: Buffer, address: string): Promise<string | null> {
    const remembered = this.remembered(hash)
    if (remembered !== null) return remembered

    const generation = this.#generation
    const now = performance.now()
    const owner = await findTokenOwner(this.#db.callers.for(address), hash)
    if (owner && generation === this.#generation) {
      const until = now + (owner.expiresInMs ?? Infinity)
      this.#remembered.set(keyOf(hash), { userId: owner.userId, until })
    }
    return owner?.userId ?? null
  }

  /** Begins to listen, and begins again whenever the connection is lost. */
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
      await pause(CATCH_UP_EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
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
    this.#remembered.clear()
    try {
      await this.#catchUp(watch)
      return watch
    } catch (error) {
      await watch.close()
      throw error
    }
  }

  async #catchUp(watch: RevocationWatch): Promise<void> {
    const askedAt = performance.now()
    await watch.catchUp(CATCH_UP_TIMEOUT_MS)
    this.#trustedUntil = askedAt + LONGEST_TRUST_MS
  }

  #forget(hash: Buffer): void {
    this.#generation++
    this.#remembered.delete(keyOf(hash))
  }
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

const MINUTE_MS = 60_000
/** Tokens that are remembered; beyond, they are written more often than they need to be. */
const MAX_REMEMBERED_USES = 10_000

/** Notes when tokens are used, at most once a minute each, while the request goes on. */
export class TokenUse implements Lifecycle {
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
    if (this.#notedAt.size >= MAX_REMEMBERED_USES) this.#notedAt.clear()
    this.#notedAt.set(key, now)
    // What cannot be written now is written with the next minute's use: nothing depends on it.
    const writing: Promise<void> = touchApiToken(this.#db.callers.for(userId), tokenHash)
      .catch(() => {})
      .finally(() => this.#underWay.delete(writing))
    this.#underWay.add(writing)
  }
}
