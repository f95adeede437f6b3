const FNV_PRIME = 0x01000193
const OTHER_PRIME = 0x85ebca6b

/**
 * A hash set of case ids. It keeps 64 bits of hash for each id: about 16 bytes a case, where the id takes about 100. Among ten
 * million cases two share a hash in one of 400,000 logs. Then a sorted log is read as an unsorted one, with the same result.
 */
export class SeenCases {
  /** Pairs; a slot is free if both are 0. */
  #slots = new Uint32Array(2048)
  #count = 0

  /** Returns false if the case was added before. */
  add(caseId: string): boolean {
    if (this.#count * 4 > this.#slots.length) this.#grow()
    const [low, high] = hash(caseId)
    const isNew = place(this.#slots, low, high)
    if (isNew) this.#count++
    return isNew
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2)
    for (let i = 0; i < this.#slots.length; i += 2) {
      const [low, high] = [this.#slots[i] as number, this.#slots[i + 1] as number]
      if (low !== 0 || high !== 0) place(larger, low, high)
    }
    this.#slots = larger
  }
}

function place(slots: Uint32Array, low: number, high: number): boolean {
  const mask = slots.length - 2
  let at = (low * 2) & mask
  while (slots[at] !== 0 || slots[at + 1] !== 0) {
    if (slots[at] === low && slots[at + 1] === high) return false
    at = (at + 2) & mask
  }
  slots[at] = low
  slots[at + 1] = high
  return true
}

/** FNV-1a twice, with two primes, each mixed at the end, so that consecutive numbers do not share slots. */
function hash(text: string): [low: number, high: number] {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, FNV_PRIME)
    high = Math.imul(high ^ unit, OTHER_PRIME)
    high ^= high >>> 15
  }
  return [mixed(low), mixed(high) || 1]
}

function mixed(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return (twice ^ (twice >>> 16)) >>> 0
}
