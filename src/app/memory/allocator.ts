/** In C, `int malloc_trim(size_t pad)`: true if something was given back. */
type Trim = (pad: bigint) => number

/** The processors on which a size is what the signature says. */
const SIZES_OF_64_BITS = new Set(['x64', 'arm64'])
/** Bytes more than were left the last time that are worth it. */
const WORTH_IT = 8 * 1024 * 1024
/**
 * Of the time at most, since the event loop waits for it: some milliseconds mostly, a hundred if hundreds of megabytes lie in small
 * pieces.
 */
const SHARE_OF_TIME = 1 / 200

/**
 * glibc's allocator keeps what buffers leave behind between others, a hundred megabytes of it, for those to come. This
 * gives it back to the system, if Node can ask for that (from 26 on, as long as its `node:ffi` stays) and the allocator
 * is glibc's; otherwise nothing happens.
 */
export class AllocatorToTrim {
  /** Looked for when it is first worth it; null if there is none. */
  #trim: Trim | null | undefined
  #left = Number.POSITIVE_INFINITY
  /** By performance.now(). */
  #restsUntil = 0

  look(): void {
    const since = performance.now()
    const held = heldBeside()
    this.#left = Math.min(this.#left, held)
    if (this.#trim === null || held - this.#left < WORTH_IT || since < this.#restsUntil) return
    if (this.#trim === undefined) this.#trim = findTrim()
    this.#trim?.(0n)
    this.#left = heldBeside()
    const now = performance.now()
    this.#restsUntil = now + (now - since) / SHARE_OF_TIME
  }
}

function findTrim(): Trim | null {
  if (process.platform !== 'linux' || !SIZES_OF_64_BITS.has(process.arch)) return null
  try {
    const ffi = process.getBuiltinModule('node:ffi')
    const { functions } = ffi.dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } })
    return functions.malloc_trim as Trim
  } catch {
    // Another C library, or another Node.
    return null
  }
}

/** What the process has beside its heap and what belongs to it: code, stacks, and what the allocator keeps. */
function heldBeside(): number {
  const { rss, heapTotal, external } = process.memoryUsage()
  return rss - heapTotal - external
}
