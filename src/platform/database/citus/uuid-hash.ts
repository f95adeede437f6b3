/*
 * PostgreSQL's `uuid_hash`, by which Citus chooses the shard of a row: Bob Jenkins' lookup3 over the 16 bytes, as PostgreSQL computes
 * it on little-endian machines (`hash_bytes` in hashfn.c).
 */

/** The initial value of a, b and c. 16 is the length in bytes; the other numbers are constants of `hash_bytes`. */
const INITIAL_VALUE = (0x9e3779b9 + 16 + 3_923_095) | 0

/** The hash of a UUID, as a signed 32-bit integer. */
export const uuidHash = (uuid: string): number => {
  const hex = uuid.replaceAll('-', '')
  return finalHash(mixFirst12Bytes(hex), wordAt(hex, 24))
}

/**
 * Changes the last eight digits of a UUID so that its hash is between `lowest` and `highest`. Tries as many values as there are
 * shards on average.
 */
export function uuidWithHashIn(uuid: string, lowest: number, highest: number): string {
  const hex = uuid.replaceAll('-', '')
  const state = mixFirst12Bytes(hex)
  for (let last = Number.parseInt(hex.slice(24), 16); ; last = (last + 1) >>> 0) {
    const hash = finalHash(state, swapBytes(last))
    if (hash >= lowest && hash <= highest) return uuid.slice(0, 28) + last.toString(16).padStart(8, '0')
  }
}

type State = readonly [a: number, b: number, c: number]

/** The state after the first 12 bytes: `mix` of lookup3. */
function mixFirst12Bytes(hex: string): State {
  let a = (INITIAL_VALUE + wordAt(hex, 0)) | 0
  let b = (INITIAL_VALUE + wordAt(hex, 8)) | 0
  let c = (INITIAL_VALUE + wordAt(hex, 16)) | 0
  a = ((a - c) | 0) ^ rotateLeft(c, 4)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotateLeft(a, 6)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotateLeft(b, 8)
  b = (b + a) | 0
  a = ((a - c) | 0) ^ rotateLeft(c, 16)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotateLeft(a, 19)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotateLeft(b, 4)
  b = (b + a) | 0
  return [a, b, c]
}

/** The hash after the last 4 bytes: `final` of lookup3. */
function finalHash(state: State, word: number): number {
  let [a, b, c] = state
  a = (a + word) | 0
  c = ((c ^ b) - rotateLeft(b, 14)) | 0
  a = ((a ^ c) - rotateLeft(c, 11)) | 0
  b = ((b ^ a) - rotateLeft(a, 25)) | 0
  c = ((c ^ b) - rotateLeft(b, 16)) | 0
  a = ((a ^ c) - rotateLeft(c, 4)) | 0
  b = ((b ^ a) - rotateLeft(a, 14)) | 0
  return ((c ^ b) - rotateLeft(b, 24)) | 0
}

const rotateLeft = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits))

/** The 4 bytes from the digit at this index, in little-endian order. */
const wordAt = (hex: string, index: number) => swapBytes(Number.parseInt(hex.slice(index, index + 8), 16))

const swapBytes = (word: number) =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
