/** Attempts that are on their way at once: of all, and of one account. */
const MOST = 256
const MOST_OF_ACCOUNT = 64
/** The last ones are for accounts that have hardly any. */
const LAST = 64
const HARDLY_ANY = 4

/**
 * While submissions stand in line they go first: then so many attempts are begun at a time, of all and of one account, and so
 * often. Those that are begun together are written down together, which costs less.
 */
const BESIDE_SUBMISSIONS = 40
const BESIDE_SUBMISSIONS_OF_ACCOUNT = 20
/** The last ones are for accounts that have hardly any of these. */
const LAST_BESIDE = 10
const HARDLY_ANY_BESIDE = 2
const BESIDE_EVERY_MS = 400
/** Submissions come in waves: so long after there were many, the next are on their way. */
const WAVE_MS = 100

/** What all endpoints of a server share. */
export class SendingSlots {
  readonly #submissionsWait: () => boolean
  readonly #now: () => number
  #taken = 0
  /** The accounts of those that were begun beside submissions since then. */
  #beside: string[] = []
  #besideAt = Number.NEGATIVE_INFINITY
  #lastWaveAt = Number.NEGATIVE_INFINITY
  readonly #ofAccount = new Map<string, number>()
  readonly #whenFreed = new Set<() => void>()

  /** @param now in milliseconds, for tests */
  constructor(submissionsWait: () => boolean, now = () => performance.now()) {
    this.#submissionsWait = submissionsWait
    this.#now = now
  }

  /** False if there is none now. */
  take(userId: string): boolean {
    const ofAccount = this.#ofAccount.get(userId) ?? 0
    const most = this.#taken < MOST - LAST ? MOST_OF_ACCOUNT : HARDLY_ANY
    if (this.#taken >= MOST || ofAccount >= most || !this.#mayBegin(userId)) return false
    this.#taken++
    this.#ofAccount.set(userId, ofAccount + 1)
    return true
  }

  #mayBegin(userId: string): boolean {
    const now = this.#now()
    if (this.#submissionsWait()) this.#lastWaveAt = now
    if (now - this.#lastWaveAt > WAVE_MS) return true
    if (now - this.#besideAt >= BESIDE_EVERY_MS) {
      this.#besideAt = now
      this.#beside = []
    }
    const begun = this.#beside.length
    const ofAccount = this.#beside.filter((account) => account === userId).length
    const isLast = begun >= BESIDE_SUBMISSIONS - LAST_BESIDE
    const most = isLast ? HARDLY_ANY_BESIDE : BESIDE_SUBMISSIONS_OF_ACCOUNT
    if (begun >= BESIDE_SUBMISSIONS || ofAccount >= most) return false
    this.#beside.push(userId)
    return true
  }

  giveBack(userId: string): void {
    this.#taken--
    const left = (this.#ofAccount.get(userId) as number) - 1
    if (left === 0) this.#ofAccount.delete(userId)
    else this.#ofAccount.set(userId, left)
    // Each time another one is the first.
    const [first] = this.#whenFreed
    if (first) {
      this.#whenFreed.delete(first)
      this.#whenFreed.add(first)
    }
    for (const free of [...this.#whenFreed]) free()
  }

  /** Calls each time that one is free, until what is returned is called. */
  onFree(free: () => void): () => void {
    this.#whenFreed.add(free)
    return () => this.#whenFreed.delete(free)
  }
}
