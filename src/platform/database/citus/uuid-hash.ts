/*
 * PostgreSQL's `uuid_hash`, by which Citus chooses the shard of a row: Bob Jenkins' lookup3 over the 16 bytes, as
 * PostgreSQL has it on machines that store the low byte first.
 */

const START = (0x9e3779b9 + 16 + 3_923_095) | 0

/** From -2^31 up to 2^31 - 1. */
export const uuidHash = (uuid: string): number => {
  const hex = uuid.replaceAll('-', '')
  return withLast(beforeLast(hex), wordAt(hex, 24))
}

/** This UUID with other last digits, so that its hash is from the lowest up to the highest. */
export function uuidWithin(uuid: string, lowest: number, highest: number): string {
  const hex = uuid.replaceAll('-', '')
  const state = beforeLast(hex)
  for (let last = Number.parseInt(hex.slice(24), 16); ; last = (last + 1) >>> 0) {
    const hash = withLast(state, swapped(last))
    if (hash >= lowest && hash <= highest) return uuid.slice(0, 28) + last.toString(16).padStart(8, '0')
  }
}

type State = readonly [a: number, b: number, c: number]

/** After the first twelve bytes. */
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

/** Four bytes of which the first is the lowest. */
const wordAt = (hex: string, at: number) => swapped(Number.parseInt(hex.slice(at, at + 8), 16))

const swapped = (word: number) =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
