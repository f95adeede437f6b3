import { hashOfId } from '../support/source/claims.ts'

const PRIME = 0x01000193
/** Undoes a product with the prime, among 32 bits. */
const INVERSE = 0x359c449b

const FIRST = 0xa0
const SURROGATES = 0xd800
const isCharacter = (code: number): boolean => code >= FIRST && code < SURROGATES

/** Ids with the same hash as another id. The last two characters of each are chosen for it. */
export function idsOfHash(id: string, count: number): string[] {
  // What the hash is before its last product: the last character, and what was before it.
  const wanted = Math.imul(hashOfId(id), INVERSE)
  const ids: string[] = []
  for (let n = 0; ids.length < count; n++) {
    const start = `${n.toString(36)}-`
    const last = lastTwo(hashOfId(start), wanted)
    if (last !== null) ids.push(start + last)
  }
  return ids
}

/** Null if there are none. The first of them decides the upper half of what is wanted, the second the lower one. */
function lastTwo(before: number, wanted: number): string | null {
  for (let first = FIRST; first < SURROGATES; first++) {
    const hash = Math.imul(before ^ first, PRIME)
    const second = hash ^ wanted
    if (isCharacter(second)) return String.fromCharCode(first, second)
  }
  return null
}
