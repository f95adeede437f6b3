/** Those that wait, each account's in their order, and the accounts by turns. */
export class FairLine<T> {
  /** The order of the keys is that of the turns. */
  readonly #lines = new Map<string, T[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(account: string): number {
    return this.#lines.get(account)?.length ?? 0
  }

  add(account: string, item: T): void {
    const line = this.#lines.get(account)
    if (line) line.push(item)
    else this.#lines.set(account, [item])
    this.#length++
  }

  /** The next of the first account whose next may go now. Its turn then comes last; undefined if none may go. */
  take(mayGo: (account: string, next: T) => boolean): { account: string; item: T } | undefined {
    for (const [account, line] of this.#lines) {
      if (!mayGo(account, line[0] as T)) continue
      const item = line.shift() as T
      this.#length--
      this.#lines.delete(account)
      if (line.length > 0) this.#lines.set(account, line)
      return { account, item }
    }
    return undefined
  }

  /** Removes each account's first ones, as long as they are such. */
  removeWhile(isSuch: (item: T) => boolean): T[] {
    const removed: T[] = []
    for (const [account, line] of this.#lines) {
      const rest = line.findIndex((item) => !isSuch(item))
      removed.push(...line.splice(0, rest === -1 ? line.length : rest))
      if (line.length === 0) this.#lines.delete(account)
    }
    this.#length -= removed.length
    return removed
  }
}
