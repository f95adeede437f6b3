import { leavesInOrder } from '../contracts/compiled-condition.ts'
import type { Condition } from '../contracts/condition.ts'
import { MAX_DIGEST_EVENTS } from '../limits.ts'
import { EventLog } from './event-log.ts'

/**
 * A digest of the log of an OPEN claim, stored in the claim's row: which leaves are satisfied, and a hash of each event's
 * id. Decisions about the claim need no more. It is derived from the log and can be computed again at any time.
 *
 * Layout:
 * - 1 byte: the format
 * - 1 byte: the number of events
 * - 1 byte: the number of bytes of the bit field
 * - 4 bytes for each event: the hash of its id
 * - the bit field: a bit for each leaf of the condition, in the order of `leavesInOrder`, the lowest bit first
 */
export interface LogDigest {
  idHashes: readonly number[]
  satisfied: Uint8Array
}

const FORMAT = 1
const HEADER_BYTES = 3
const HASH_BYTES = 4
/** The header has one byte for the length of the bit field. */
const MAX_BIT_FIELD_BYTES = 255
/** A buffer that all calls share. It has room for the longest digest, and no call yields while it uses the buffer. */
const scratch = Buffer.alloc(HEADER_BYTES + HASH_BYTES * MAX_DIGEST_EVENTS + MAX_BIT_FIELD_BYTES)

/**
 * The digest as hexadecimal digits; null if the log is too long.
 * @param known hashes of the ids of all events except the last ones
 * @param added ids of the last events
 */
export function writeDigest(
  condition: Condition,
  log: EventLog,
  known: readonly number[],
  added: readonly string[] = [],
): string | null {
  if (known.length + added.length > MAX_DIGEST_EVENTS) return null
  const idHashes = [...known, ...added.map(hashOfId)]
  const leaves = leavesInOrder(condition)
  const bitsAt = HEADER_BYTES + HASH_BYTES * idHashes.length
  const bitBytes = Math.ceil(leaves.length / 8)
  const length = bitsAt + bitBytes
  const bytes = scratch.fill(0, 0, length)
  bytes.set([FORMAT, idHashes.length, bitBytes])
  for (const [i, hash] of idHashes.entries()) bytes.writeInt32LE(hash, HEADER_BYTES + HASH_BYTES * i)
  for (const [i, leaf] of leaves.entries()) {
    if (log.isSatisfied(leaf))
      bytes[bitsAt + (i >> 3)] = (bytes[bitsAt + (i >> 3)] as number) | (1 << (i & 7))
  }
  return bytes.toString('hex', 0, length)
}

/**
 * Null if the digest is damaged, or if it is not of a log with `events` events: an older version of the service adds events
 * and leaves the digest unchanged. The caller then reads the log.
 */
export function readDigest(bytes: Uint8Array | null, events: number): LogDigest | null {
  if (bytes === null) return null
  const [format, count, bitBytes = 0] = bytes
  const bitsAt = HEADER_BYTES + HASH_BYTES * events
  if (format !== FORMAT || count !== events || bytes.length !== bitsAt + bitBytes) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const idHashes = Array.from({ length: events }, (_, i) =>
    view.getInt32(HEADER_BYTES + HASH_BYTES * i, true),
  )
  return { idHashes, satisfied: bytes.subarray(bitsAt) }
}

export function logOf(condition: Condition, { satisfied }: LogDigest): EventLog {
  const leaves = leavesInOrder(condition).filter((_, i) => ((satisfied[i >> 3] as number) >> (i & 7)) & 1)
  return new EventLog(condition, leaves.length > 0 ? new Set(leaves) : null)
}

/** FNV-1a, 32 bits: a tenth of the size of an id. If two ids have the same hash, the log is read. */
export function hashOfId(id: string): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return hash
}
