import { randomUUID } from 'node:crypto'
import type { App } from '../app.ts'
import { noteArchiveFile } from '../claims/archived/archived-claim-store.ts'
import { namedUuid } from '../claims/claim-ids.ts'
import { byWeight } from '../kernel/by-weight.ts'
import { listAccounts } from '../notifications/notification-removal-store.ts'
import { readSummedUpTo } from '../overview/resolution-total-store.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { OldRecords } from '../retention/old-records.ts'
import { writeArchiveFile } from './archive-file.ts'
import {
  markContractsUnused,
  releaseArchiveTurn,
  removeArchivedClaims,
  takeArchiveTurn,
} from './archive-store.ts'
import { beginningOfLine, END_OF_LINE, eventOfLine } from './archived-record.ts'
import {
  type ClaimToArchive,
  findAwaitedClaims,
  findClaimsToArchive,
  type ReadClaim,
  readWholeClaims,
  readWholeLogs,
  type WholeClaim,
} from './claims-to-archive-store.ts'

const DAY_MS = 24 * 3_600_000
/** Claims of a file at most, and bytes of their logs. */
const CLAIMS_OF_FILE = 1_000
const LOG_BYTES_OF_FILE = 32 * 1024 * 1024
/** Of which deliveries wait, of one account: so many are looked past. */
const MOST_AWAITED = 20_000
/** If there are fewer, they wait for others, so long at most: else each claim would have a file. */
const WAIT_MS = DAY_MS
/** Claims that one transaction removes: nobody waits for it for long. */
const REMOVED_AT_ONCE = 200
/** Once all accounts were looked at, for so long nothing else is expected. */
const REST_MS = 5 * 60_000

export interface ArchiveSettings {
  /** Claims leave so many days after they were resolved. */
  days: number
  /** To where. */
  folder: string
}

/**
 * Moves claims that were resolved long ago into files, account by account, a batch at a time: a file is written, and read
 * back, before a claim leaves, and it leaves in one transaction with its log, which keeps where it is. So a claim is in the database,
 * or in a file that the database names, whatever breaks off. The file of a run that broke off is written
 * anew by the next one: the same claims make the same file. Safe with any number of servers.
 */
export class ClaimArchive {
  readonly #app: App
  readonly #settings: ArchiveSettings
  readonly #server = randomUUID()
  readonly #accounts: OldRecords<{ id: string }>
  #restsUntil = 0
  #hasTurn = false
  #flaw: ClaimIsNotWhole | null = null

  constructor(app: App, settings: ArchiveSettings) {
    this.#app = app
    this.#settings = settings
    this.#accounts = new OldRecords(app, settings.days, {
      listOwners: (after, count) => listAccounts(app.db.checks, after, count),
      removeBatch: ({ id }, before) => this.#archiveNext(id, before),
    })
  }

  /**
   * Goes on where it was. Returns how many claims left.
   * @param isOver asked after each batch
   */
  async archiveSome(isOver: () => boolean): Promise<number> {
    const { db } = this.#app
    if (performance.now() < this.#restsUntil || !(await takeArchiveTurn(db.checks, this.#server))) return 0
    const { archiveRuns, archiveDoneAt } = db.metrics.instruments
    this.#hasTurn = true
    this.#flaw = null
    let wasCut = false
    try {
      const archived = await this.#accounts.removeSome(() => {
        wasCut = !this.#hasTurn || isOver()
        return wasCut
      })
      if (!wasCut) this.#restsUntil = performance.now() + REST_MS
      if (this.#flaw) throw this.#flaw
      archiveRuns.inc({ result: 'done' })
      archiveDoneAt.set((await readClock(db.checks)).getTime() / 1_000)
      return archived
    } catch (error) {
      archiveRuns.inc({ result: 'failed' })
      throw error
    } finally {
      // If that fails, the turn ends by itself.
      await releaseArchiveTurn(db.checks, this.#server).catch(() => {})
    }
  }

  /** The next batch of this account. Returns how many claims left; 0 if there is nothing to do for now. */
  async #archiveNext(userId: string, before: Date): Promise<number> {
    this.#hasTurn = await takeArchiveTurn(this.#app.db.checks, this.#server)
    if (!this.#hasTurn) return 0
    const batch = await this.#findBatch(userId, before)
    if (batch.length === 0) return 0
    try {
      return await this.#archive(userId, batch, before)
    } catch (error) {
      if (!(error instanceof ClaimIsNotWhole)) throw error
      // It is the operator's, who hears of it after each run; other accounts do not wait for that.
      this.#flaw = error
      return 0
    }
  }

  async #findBatch(userId: string, before: Date): Promise<ClaimToArchive[]> {
    const db = this.#app.db.checks
    const summedUpTo = await readSummedUpTo(db)
    const upTo = summedUpTo < before ? summedUpTo : before
    const found = await this.#findUnawaited(userId, upTo)
    const [first] = found
    const isWorthIt =
      found.length === CLAIMS_OF_FILE || (first && first.statusSince.getTime() <= before.getTime() - WAIT_MS)
    return isWorthIt ? withinBytes(found) : []
  }

  /** Though others are before them of which deliveries wait, up to a bound: what is behind more of them has to wait as well. */
  async #findUnawaited(userId: string, upTo: Date): Promise<ClaimToArchive[]> {
    const db = this.#app.db.checks
    const awaited = new Set<string>()
    for (;;) {
      const found = await findClaimsToArchive(db, userId, upTo, awaited, CLAIMS_OF_FILE)
      if (found.length === 0) return []
      const ids = found.map(({ id }) => id)
      const waiting = await this.#app.throttle.run(() => findAwaitedClaims(db, ids))
      for (const id of waiting) awaited.add(id)
      if (waiting.length === 0 || found.length < CLAIMS_OF_FILE || awaited.size >= MOST_AWAITED)
        return found.filter(({ id }) => !awaited.has(id))
    }
  }

  async #archive(userId: string, batch: readonly ClaimToArchive[], before: Date): Promise<number> {
    const db = this.#app.db.checks
    const read: ReadClaim[] = []
    const since = (batch[0] as ClaimToArchive).statusSince
    const file = await writeArchiveFile(
      this.#settings.folder,
      readBatch(this.#app, batch, read),
      `${since.getUTCFullYear()}`,
      (sha256) => nameOf(since, sha256),
    )
    if (read.length === 0) return 0
    const id = namedUuid('archive_file', file.sha256)
    await noteArchiveFile(db, { ...file, id, userId, claims: read.length })
    const hashes = new Set(read.flatMap(({ contractHash }) => contractHash ?? []))
    await markContractsUnused(db, [...hashes])
    let removed = 0
    for (const ofShard of db.distribution.byShard(read, (claim) => claim.id)) {
      for (let i = 0; i < ofShard.length; i += REMOVED_AT_ONCE) {
        const some = ofShard.slice(i, i + REMOVED_AT_ONCE)
        const left = await this.#app.throttle.run(() => removeArchivedClaims(db, some, id, before))
        this.#app.db.metrics.instruments.archivedClaims.inc(left)
        removed += left
      }
    }
    return removed
  }
}

/** As many as one file takes, one at least. */
function withinBytes(claims: readonly ClaimToArchive[]): ClaimToArchive[] {
  let bytes = 0
  return claims.filter((claim, i) => {
    bytes += claim.logBytes
    return i === 0 || bytes <= LOG_BYTES_OF_FILE
  })
}

/** When the first of its claims was resolved, and a part of the hash. */
const nameOf = (since: Date, sha256: string) =>
  `claims-${since.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${sha256.slice(0, 16)}.ndjson.gz`

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
    const { whole, logs } = await app.throttle.run(async () => ({
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
const MAX_SEQUENCE = 2 ** 31 - 1

async function readLogs(db: Connection, ids: readonly string[]): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>()
  for (const event of await readWholeLogs(db, ids, 0, MAX_SEQUENCE)) {
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
