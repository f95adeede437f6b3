/*
 * PostgreSQL's `uuid_hash`, by which Citus chooses the shard of a row: Bob Jenkins' lookup3 over the 16 bytes, as PostgreSQL computes
 * it on little-endian machines.
 */

const START = (0x9e3779b9 + 16 + 3_923_095) | 0

/** A signed 32-bit integer. */
export const uuidHash = (uuid: string): number => {
  const hex = uuid.replaceAll('-', '')
  return withLast(beforeLast(hex), wordAt(hex, 24))
}

/** Changes the last digits of a UUID so that its hash is between `lowest` and `highest`. */
export function uuidWithin(uuid: string, lowest: number, highest: number): string {
  const hex = uuid.replaceAll('-', '')
  const state = beforeLast(hex)
  for (let last = Number.parseInt(hex.slice(24), 16); ; last = (last + 1) >>> 0) {
    const hash = withLast(state, swapped(last))
    if (hash >= lowest && hash <= highest) return uuid.slice(0, 28) + last.toString(16).padStart(8, '0')
  }
}

type State = readonly [a: number, b: number, c: number]

/** The state after the first twelve bytes. */
function beforeLast(hex: string): State {
  let a = (START + wordAt(hex, 0)) | 0
  let b = (START + wordAt(hex, 8)) | 0
  let c = (START + wordAt(hex, 16)) | 0
  a = ((a - c) | 0) ^ rotated(c, 4)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotated(a, 6)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotated(b, 8)
  b = (b + a) | 0
  a = ((a - c) | 0) ^ rotated(c, 16)
  c = (c + b) | 0
  b = ((b - a) | 0) ^ rotated(a, 19)
  a = (a + c) | 0
  c = ((c - b) | 0) ^ rotated(b, 4)
  b = (b + a) | 0
  return [a, b, c]
}

function withLast(state: State, word: number): number {
  let [a, b, c] = state
  a = (a + word) | 0
  c = ((c ^ b) - rotated(b, 14)) | 0
  a = ((a ^ c) - rotated(c, 11)) | 0
  b = ((b ^ a) - rotated(a, 25)) | 0
  c = ((c ^ b) - rotated(b, 16)) | 0
  a = ((a ^ c) - rotated(c, 4)) | 0
  b = ((b ^ a) - rotated(a, 14)) | 0
  return ((c ^ b) - rotated(b, 24)) | 0
}

const rotated = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits))

/** Four bytes in little-endian order. */
const wordAt = (hex: string, at: number) => swapped(Number.parseInt(hex.slice(at, at + 8), 16))

const swapped = (word: number) =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
