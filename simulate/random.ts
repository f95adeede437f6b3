/** The same seed gives the same draws, on every machine. */
export interface Random {
  /** A whole number from `min` to `max`, both inclusive. Both are safe integers. */
  int(min: number, max: number): number
  pick<T>(of: readonly T[]): T
  /** True with probability `p`, from 0 to 1. */
  chance(p: number): boolean
  /**
   * An independent generator. It depends only on the seed and the names of the forks, not on earlier draws, so the
   * order of draws changes nothing. The same name gives the same draws.
   */
  fork(name: string): Random
}

export const seeded = (seed: number): Random => random(`seed ${seed}`)

const TWO_32 = 2 ** 32

function random(path: string): Random {
  const next = sfc32(path)
  /** From 0 (inclusive) to 1 (exclusive), with 53 bits. */
  const fraction = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53
  const below = (bound: number) =>
    bound <= TWO_32 ? Math.floor((next() / TWO_32) * bound) : Math.floor(fraction() * bound)
  return {
    int(min, max) {
      if (!(min <= max)) throw new Error(`no whole number from ${min} to ${max}`)
      return min + below(max - min + 1)
    },
    pick(of) {
      if (of.length === 0) throw new Error('nothing to pick from')
      return of[below(of.length)] as (typeof of)[number]
    },
    chance: (p) => fraction() < p,
    fork: (name) => random(`${path}/${name}`),
  }
}

/** Chris Doty-Humphrey's generator: small, fast, and with a state of 128 bits. */
function sfc32(key: string): () => number {
  let [a, b, c, counter] = [hash(key, 1), hash(key, 2), hash(key, 3), 1]
  const next = () => {
    const drawn = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + drawn
    return drawn >>> 0
  }
  for (let i = 0; i < 15; i++) next()
  return next
}

/** FNV-1a, mixed at the end as MurmurHash3 does. */
function hash(text: string, salt: number): number {
  let h = 0x811c9dc5 ^ salt
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
