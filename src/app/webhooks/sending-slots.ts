/** Attempts that are on their way at once: of all, and of one account. */
const MOST = 256
const MOST_OF_ACCOUNT = 64
/** The last ones are for accounts that have hardly any. */
const LAST = 64
const HARDLY_ANY = 4

/** What all endpoints of a server share. */
export class SendingSlots {
  #taken = 0
  readonly #ofAccount = new Map<string, number>()
  readonly #whenFreed = new Set<() => void>()

  /** False if there is none now. */
  take(userId: string): boolean {
    const ofAccount = this.#ofAccount.get(userId) ?? 0
    const most = this.#taken < MOST - LAST ? MOST_OF_ACCOUNT : HARDLY_ANY
    if (this.#taken >= MOST || ofAccount >= most) return false
    this.#taken++
    this.#ofAccount.set(userId, ofAccount + 1)
    return true
  }

  giveBack(userId: string): void {
    this.#taken--
    const left = (this.#ofAccount.get(userId) as number) - 1
    if (left === 0) this.#ofAccount.delete(userId)
    else this.#ofAccount.set(userId, left)
    // Whoever was called takes its turn behind the others.
    for (const free of [...this.#whenFreed]) {
      this.#whenFreed.delete(free)
      this.#whenFreed.add(free)
      free()
    }
  }

  /** Calls each time that one is free, until what is returned is called. */
  onFree(free: () => void): () => void {
    this.#whenFreed.add(free)
    return () => this.#whenFreed.delete(free)
  }
}
