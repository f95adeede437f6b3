import { hashOfId } from '../../../domain/claims/log-digest.ts'

/**
 * Hashes of events' ids, as a text of two code units each. A copy is held of each of ten thousand claims: an array would take
 * twice as much for each hash, and has room for more beside.
 */
export type IdHashes = string

const UNITS = 2

/** Joined to one piece: V8 keeps all that is added to a text apart until somebody looks into that. */
export const hashesOf = (ids: Iterable<string>): IdHashes =>
  Array.from(ids, (id) => unitsOf(hashOfId(id))).join('')

export const textOf = (hashes: readonly number[]): IdHashes => hashes.map(unitsOf).join('')

const unitsOf = (hash: number): string => String.fromCharCode(hash & 0xffff, hash >>> 16)

/** As a digest has them, with a sign. */
export const numbersOf = (hashes: IdHashes): number[] =>
  Array.from(
    { length: countOf(hashes) },
    (_, i) => hashes.charCodeAt(UNITS * i) | (hashes.charCodeAt(UNITS * i + 1) << 16),
  )

export const countOf = (hashes: IdHashes): number => hashes.length / UNITS

/** Whether that of the id is among them. */
export function isHashIn(hashes: IdHashes, id: string): boolean {
  const wanted = unitsOf(hashOfId(id))
  let at = hashes.indexOf(wanted)
  // Half of one and half of the next are none.
  while (at % UNITS === 1) at = hashes.indexOf(wanted, at + 1)
  return at !== -1
}
