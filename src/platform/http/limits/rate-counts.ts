import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000
/** Accounts that are remembered; of more, the one that was quiet for longest begins anew. */
const MOST_ACCOUNTS = 10_000

/** Who counts what accounts do in a minute: requests, and of several items in a request each. */
export interface RateCounter {
  /** Of one account, in a minute. */
  readonly most: number
  /** @returns as many as there are left; also later, if another process counts */
  take(account: string, wanted: number): RateGrant | Promise<RateGrant>
}

export interface RateGrant {
  granted: number
  /** After that, in this minute. */
  left: number
  /** How long the minute still lasts. */
  endsInMs: number
}

interface Minute {
  taken: number
  /** By performance.now(), in milliseconds. */
  endsAt: number
}

/** Counts in the memory of this process. An account's minute begins with its first request after the last one's end. */
export class RateCounts implements RateCounter {
  readonly most: number
  readonly #minutes = new LRUCache<string, Minute>({ max: MOST_ACCOUNTS })

  constructor(most: number) {
    this.most = most
  }

  take(account: string, wanted: number): RateGrant {
    const now = performance.now()
    let minute = this.#minutes.get(account)
    if (!minute || minute.endsAt <= now) {
      minute = { taken: 0, endsAt: now + WINDOW_MS }
      this.#minutes.set(account, minute)
    }
    const granted = Math.min(wanted, this.most - minute.taken)
    minute.taken += granted
    return { granted, left: this.most - minute.taken, endsInMs: minute.endsAt - now }
  }
}

/** Null for no limit, which is 0. */
export const rateCounts = (mostAMinute: number): RateCounts | null =>
  mostAMinute > 0 ? new RateCounts(mostAMinute) : null
