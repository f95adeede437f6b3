import { stringify } from 'uuid'

const ID_BYTES = 16

/** Ids that come in runs, each in order, and are taken in the order of all of them: packed, for there may be half a million. */
export class IdsInOrder {
  readonly #runs: Run[] = []

  /** @param ids 16 bytes each, in order */
  add(ids: Buffer): void {
    if (ids.length > 0) this.#runs.push(new Run(ids))
  }

  /** The first of those that are left. */
  take(count: number): string[] {
    const taken: string[] = []
    while (taken.length < count && this.#runs.length > 0) {
      const first = this.#runs.reduce((a, b) => (b.head < a.head ? b : a))
      taken.push(first.head)
      if (!first.advance()) this.#runs.splice(this.#runs.indexOf(first), 1)
    }
    return taken
  }
}

class Run {
  readonly #ids: Buffer
  #at = 0
  head: string

  constructor(ids: Buffer) {
    this.#ids = ids
    this.head = stringify(ids)
  }

  /** False at its end. */
  advance(): boolean {
    this.#at += ID_BYTES
    if (this.#at === this.#ids.length) return false
    this.head = stringify(this.#ids, this.#at)
    return true
  }
}
