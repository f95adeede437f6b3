import { randomUUID } from 'node:crypto'
import type { App } from '../app.ts'
import { noteArchiveFile } from '../claims/archived/archived-claim-store.ts'
import { namedUuid } from '../claims/claim-ids.ts'
import { batchesByWeight } from '../kernel/batches-by-weight.ts'
import { listAccounts } from '../notifications/notification-removal-store.ts'
import { readSummedUpTo } from '../overview/resolution-total-store.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { OldRecords } from '../retention/old-records.ts'
import { writeArchiveFile } from './archive-file.ts'
import {
  acquireArchiveLease,
  markContractsUnused,
  releaseArchiveLease,
  removeArchivedClaims,
} from './archive-store.ts'
import { eventJson, LINE_END, lineStart } from './archived-record.ts'
import {
  type ArchivedClaimRow,
  type ClaimToArchive,
  type ExpectedClaim,
  findClaimsToArchive,
  findClaimsWithDeliveries,
  readWholeClaims,
  readWholeLogs,
} from './claims-to-archive-store.ts'
import {
  EVENTS_PER_READ,
  MAX_CLAIMS_PER_FILE,
  MAX_CLAIMS_PER_READ,
  MAX_CLAIMS_PER_REMOVAL,
  MAX_LOG_BYTES_PER_FILE,
  MAX_LOG_BYTES_PER_READ,
  MAX_SKIPPED_CLAIMS,
  MAX_WAIT_FOR_FULL_FILE_MS,
  PAUSE_AFTER_ALL_ACCOUNTS_MS,
} from './limits.ts'

export interface ArchiveSettings {
  /** Claims are archived this many days after they were resolved. */
  days: number
  folder: string
}

/**
 * Moves claims that were resolved long ago into files, account by account and batch by batch. A batch writes a file, reads it back,
 * and then removes the claims with their logs in transactions that record the file. So after any failure a claim is in the database,
 * or in a file that the database names. A batch that failed is repeated by the next run: the same claims give the same file. Any
 * number of servers may run it.
 */
export class ClaimArchive {
  readonly #app: App
  readonly #settings: ArchiveSettings
  readonly #server = randomUUID()
  readonly #accounts: OldRecords<{ id: string }>
  #pausedUntil = 0
  #hasLease = false
  #incomplete: ClaimIncomplete | null = null

  constructor(app: App, settings: ArchiveSettings) {
    this.#app = app
    this.#settings = settings
    this.#accounts = new OldRecords(app, settings.days, {
      listOwners: (after, count) => listAccounts(app.db.checks, after, count),
      removeBatch: ({ id }, before) => this.#archiveNext(id, before),
    })
  }

  /**
   * Continues after the last batch. Returns the number of archived claims.
   * @param isOver called after each batch
   */
  async archiveSome(isOver: () => boolean): Promise<number> {
    const { db } = this.#app
    if (performance.now() < this.#pausedUntil || !(await acquireArchiveLease(db.checks, this.#server)))
      return 0
    const { archiveRuns, archiveDoneAt } = db.metrics.instruments
    this.#hasLease = true
    this.#incomplete = null
    let wasInterrupted = false
    try {
      const archived = await this.#accounts.removeBatches(() => {
        wasInterrupted = !this.#hasLease || isOver()
        return wasInterrupted
      })
      if (!wasInterrupted) this.#pausedUntil = performance.now() + PAUSE_AFTER_ALL_ACCOUNTS_MS
      if (this.#incomplete) throw this.#incomplete
      archiveRuns.inc({ result: 'done' })
      archiveDoneAt.set((await readClock(db.checks)).getTime() / 1_000)
      return archived
    } catch (error) {
      archiveRuns.inc({ result: 'failed' })
      throw error
    } finally {
      // If this fails, the lease expires.
      await releaseArchiveLease(db.checks, this.#server).catch(() => {})
    }
  }

  /** Archives the next batch of the account. Returns the number of archived claims; 0 if the account has no batch now. */
  async #archiveNext(userId: string, before: Date): Promise<number> {
    this.#hasLease = await acquireArchiveLease(this.#app.db.checks, this.#server)
    if (!this.#hasLease) return 0
    const batch = await this.#findBatch(userId, before)
    if (batch.length === 0) return 0
    try {
      return await this.#archive(userId, batch, before)
    } catch (error) {
      if (!(error instanceof ClaimIncomplete)) throw error
      // The end of each run reports the error to the operator. Other accounts are archived nevertheless.
      this.#incomplete = error
      return 0
    }
  }

  async #findBatch(userId: string, before: Date): Promise<ClaimToArchive[]> {
    const db = this.#app.db.checks
    const summedUpTo = await readSummedUpTo(db)
    const upTo = summedUpTo < before ? summedUpTo : before
    const found = await this.#findDelivered(userId, upTo)
    const [first] = found
    const isDue =
      found.length === MAX_CLAIMS_PER_FILE ||
      (first && first.statusSince.getTime() <= before.getTime() - MAX_WAIT_FOR_FULL_FILE_MS)
    return isDue ? fitIntoFile(found) : []
  }

  /** The next claims. Skips claims with unfinished deliveries, at most about MAX_SKIPPED_CLAIMS. */
  async #findDelivered(userId: string, upTo: Date): Promise<ClaimToArchive[]> {
    const db = this.#app.db.checks
    const skipped = new Set<string>()
    for (;;) {
      const found = await findClaimsToArchive(db, userId, upTo, skipped, MAX_CLAIMS_PER_FILE)
      if (found.length === 0) return []
      const ids = found.map(({ id }) => id)
      const undelivered = await this.#app.throttle.run(() => findClaimsWithDeliveries(db, ids))
      for (const id of undelivered) skipped.add(id)
      if (
        undelivered.length === 0 ||
        found.length < MAX_CLAIMS_PER_FILE ||
        skipped.size >= MAX_SKIPPED_CLAIMS
      )
        return found.filter(({ id }) => !skipped.has(id))
    }
  }

  async #archive(userId: string, batch: readonly ClaimToArchive[], before: Date): Promise<number> {
    const db = this.#app.db.checks
    const read: ExpectedClaim[] = []
    const since = (batch[0] as ClaimToArchive).statusSince
    const file = await writeArchiveFile(
      this.#settings.folder,
      readBatch(this.#app, batch, read),
      `${since.getUTCFullYear()}`,
      (sha256) => fileName(since, sha256),
    )
    if (read.length === 0) return 0
    const id = namedUuid('archive_file', file.sha256)
    await noteArchiveFile(db, { ...file, id, userId, claims: read.length })
    const hashes = new Set(read.flatMap(({ contractHash }) => contractHash ?? []))
    await markContractsUnused(db, [...hashes])
    let removed = 0
    for (const shardClaims of db.distribution.byShard(read, (claim) => claim.id)) {
      for (let i = 0; i < shardClaims.length; i += MAX_CLAIMS_PER_REMOVAL) {
        const chunk = shardClaims.slice(i, i + MAX_CLAIMS_PER_REMOVAL)
        const count = await this.#app.throttle.run(() => removeArchivedClaims(db, chunk, id, before))
        this.#app.db.metrics.instruments.archivedClaims.inc(count)
        removed += count
      }
    }
    return removed
  }
}

/** As many claims as fit in a file, at least one. */
function fitIntoFile(claims: readonly ClaimToArchive[]): ClaimToArchive[] {
  let bytes = 0
  return claims.filter((claim, i) => {
    bytes += claim.logBytes
    return i === 0 || bytes <= MAX_LOG_BYTES_PER_FILE
  })
}

/** A file's name: the time at which its first claim was resolved, and a part of the hash. */
const fileName = (since: Date, sha256: string) =>
  `claims-${since.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${sha256.slice(0, 16)}.ndjson.gz`

/** The contract or a part of the log of a claim is missing in the database. The claim is not archived. */
class ClaimIncomplete extends Error {}

/**
 * The content of the file of these claims: a line for each claim that still exists. Adds the written claims to `read`, as the file
 * has them.
 */
export async function* readBatch(
  app: App,
  claims: readonly ClaimToArchive[],
  read: ExpectedClaim[],
): AsyncGenerator<string> {
  const db = app.db.checks
  // A batch has several claims with short logs, or one claim.
  const bounds = { maxWeight: MAX_LOG_BYTES_PER_READ, maxItems: MAX_CLAIMS_PER_READ }
  for (const batch of batchesByWeight(claims, ({ logBytes }) => logBytes, bounds)) {
    const ids = batch.map(({ id }) => id)
    const found = new Map(batch.map((claim) => [claim.id, claim]))
    const { rows, logs } = await app.throttle.run(async () => ({
      rows: await readWholeClaims(db, ids),
      logs: batch.length === 1 ? null : await readLogs(db, ids),
    }))
    for (const claim of rows) {
      read.push(toExpectedClaim(found.get(claim.id) as ClaimToArchive, claim))
      if (logs) yield lineOfShortLog(claim, logs.get(claim.id) ?? [])
      else yield* readLineOfLongLog(db, claim)
    }
  }
}

const toExpectedClaim = (
  found: ClaimToArchive,
  { contract_hash, metadata_digest = null }: ArchivedClaimRow,
): ExpectedClaim => ({
  ...found,
  contractHash: contract_hash,
  metadataDigest: metadata_digest,
})

/** The largest integer of PostgreSQL: all events. */
const MAX_SEQUENCE = 2 ** 31 - 1

async function readLogs(db: Connection, ids: readonly string[]): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>()
  for (const event of await readWholeLogs(db, ids, 0, MAX_SEQUENCE)) {
    const log = logs.get(event.claim_id)
    if (log) log.push(eventJson(event))
    else logs.set(event.claim_id, [eventJson(event)])
  }
  return logs
}

function lineOfShortLog(claim: ArchivedClaimRow, events: readonly string[]): string {
  requireWhole(claim, events.length)
  return `${lineStart(claim)}${events.join(',')}${LINE_END}`
}

async function* readLineOfLongLog(db: Connection, claim: ArchivedClaimRow): AsyncGenerator<string> {
  yield lineStart(claim)
  let events = 0
  while (events < claim.event_count) {
    const page = await readWholeLogs(db, [claim.id], events, events + EVENTS_PER_READ)
    if (page.length === 0) break
    yield `${events > 0 ? ',' : ''}${page.map(eventJson).join(',')}`
    events += page.length
  }
  requireWhole(claim, events)
  yield LINE_END
}

function requireWhole({ id, contract, event_count: count }: ArchivedClaimRow, events: number): void {
  if (contract === null) throw new ClaimIncomplete(`The contract of claim ${id} is missing.`)
  if (events !== count)
    throw new ClaimIncomplete(`The log of claim ${id} has ${events} events instead of ${count}.`)
}
