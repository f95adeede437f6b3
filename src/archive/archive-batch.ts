import type { App } from '../app.ts'
import { byWeight } from '../kernel/by-weight.ts'
import type { Connection } from '../platform/database/connection.ts'
import { beginningOfLine, END_OF_LINE, eventOfLine } from './archived-record.ts'
import {
  type ClaimToArchive,
  type ReadClaim,
  readWholeClaims,
  readWholeLogs,
  type WholeClaim,
} from './claims-to-archive-store.ts'

/** Claims that are read together: with the longest contracts 6 MiB. */
const CLAIMS_AT_ONCE = 100
/** Bytes of the logs of those; a longer log is read by itself, piece by piece. */
const LOG_BYTES_AT_ONCE = 1024 * 1024
/** Events of a piece, which may have 256 KiB each. */
const EVENTS_OF_PIECE = 16

/** A claim of the batch that cannot leave: what was read of it is not what it says of itself. */
export class ClaimIsNotWhole extends Error {}

/**
 * What the file of these claims holds: a line for each, in the order of their ids in every group that is read. Adds to `read`
 * those that were there, as the file has them.
 */
export async function* readBatch(
  app: App,
  claims: readonly ClaimToArchive[],
  read: ReadClaim[],
): AsyncGenerator<string> {
  const db = app.db.checks
  // Claims whose logs are short together, or one.
  const bounds = { mostWeight: LOG_BYTES_AT_ONCE, mostItems: CLAIMS_AT_ONCE }
  for (const group of byWeight(claims, ({ logBytes }) => logBytes, bounds)) {
    const ids = group.map(({ id }) => id)
    const found = new Map(group.map((claim) => [claim.id, claim]))
    const { whole, logs } = await app.pace.take(async () => ({
      whole: await readWholeClaims(db, ids),
      logs: group.length === 1 ? null : await readLogs(db, ids),
    }))
    for (const claim of whole) {
      read.push(asRead(found.get(claim.id) as ClaimToArchive, claim))
      if (logs) yield shortLine(claim, logs.get(claim.id) ?? [])
      else yield* longLine(db, claim)
    }
  }
}

const asRead = (found: ClaimToArchive, { contract_hash, metadata_digest = null }: WholeClaim): ReadClaim => ({
  ...found,
  contractHash: contract_hash,
  metadataDigest: metadata_digest,
})

/** More than a log has. */
const LAST = 2 ** 31 - 1

async function readLogs(db: Connection, ids: readonly string[]): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>()
  for (const event of await readWholeLogs(db, ids, 0, LAST)) {
    const log = logs.get(event.claim_id)
    if (log) log.push(eventOfLine(event))
    else logs.set(event.claim_id, [eventOfLine(event)])
  }
  return logs
}

function shortLine(claim: WholeClaim, events: readonly string[]): string {
  requireWhole(claim, events.length)
  return `${beginningOfLine(claim)}${events.join(',')}${END_OF_LINE}`
}

async function* longLine(db: Connection, claim: WholeClaim): AsyncGenerator<string> {
  yield beginningOfLine(claim)
  let events = 0
  while (events < claim.event_count) {
    const piece = await readWholeLogs(db, [claim.id], events, events + EVENTS_OF_PIECE)
    if (piece.length === 0) break
    yield `${events > 0 ? ',' : ''}${piece.map(eventOfLine).join(',')}`
    events += piece.length
  }
  requireWhole(claim, events)
  yield END_OF_LINE
}

function requireWhole({ id, contract, event_count: count }: WholeClaim, events: number): void {
  if (contract === null) throw new ClaimIsNotWhole(`The contract of claim ${id} is missing.`)
  if (events !== count)
    throw new ClaimIsNotWhole(`The log of claim ${id} has ${events} events instead of ${count}.`)
}
