/** An account, an address, or a symbol for the service itself. */
export type Key = string | symbol

/**
 * A queue that is first in, first out per key, and round-robin over the keys.
 *
 * Why: one key with many items must not delay the items of other keys.
 * Invariants: the order of the keys in the map is the rotation. A key whose item was removed is the last of the rotation. A key
 * without items is not in the map.
 * Limits: none. The owner limits the size before it pushes. Taking an item visits each key that is not eligible once.
 */
export class FairQueue<T> {
  readonly #itemsByKey = new Map<Key, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The keys that have items. */
  get keyCount(): number {
    return this.#itemsByKey.size
  }

  sizeOf(key: Key): number {
    return this.#itemsByKey.get(key)?.length ?? 0
  }

  push(key: Key, item: T): void {
    const items = this.#itemsByKey.get(key)
    if (items) items.push(item)
    else this.#itemsByKey.set(key, [item])
    this.#size++
  }

  /** The first item of the first key in the rotation whose first item is eligible. Removes nothing. */
  peek(isEligible: (key: Key, first: T) => boolean): { key: Key; item: T } | undefined {
    for (const [key, items] of this.#itemsByKey) {
      const item = items[0] as T
      if (isEligible(key, item)) return { key, item }
    }
    return undefined
  }

  /** Removes what `peek` returns. */
  take(isEligible: (key: Key, first: T) => boolean): { key: Key; item: T } | undefined {
    const next = this.peek(isEligible)
    if (next) this.remove(next.key, next.item)
    return next
  }

  /** Returns false if the item is not queued. */
  remove(key: Key, item: T): boolean {
    const items = this.#itemsByKey.get(key)
    const index = items?.indexOf(item) ?? -1
    if (!items || index === -1) return false
    if (index === 0) items.shift()
    else items.splice(index, 1)
    this.#size--
    this.#itemsByKey.delete(key)
    if (items.length > 0) this.#itemsByKey.set(key, items)
    return true
  }

  /** The key with the most items, and its last item. */
  longest(): { key: Key; last: T; size: number } | undefined {
    let longest: [Key, T[]] | undefined
    for (const entry of this.#itemsByKey) {
      if (!longest || entry[1].length > longest[1].length) longest = entry
    }
    if (!longest) return undefined
    const [key, items] = longest
    return { key, last: items.at(-1) as T, size: items.length }
  }

  *[Symbol.iterator](): Generator<T> {
    for (const items of this.#itemsByKey.values()) yield* items
  }
}
