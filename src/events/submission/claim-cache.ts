import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { ClaimToDecide } from '../../claims/claims-to-decide.ts'
import { readLongLog } from '../../claims/long-log-store.ts'
import type { Claim } from '../../core/claims/claim.ts'
import { logOfStatus } from '../../core/claims/decide-at.ts'
import type { Evidence, PlacedEvidence } from '../../core/claims/event.ts'
import { EventLog } from '../../core/claims/event-log.ts'
import { hashOfId, type LogDigest, logOf } from '../../core/claims/log-digest.ts'
import { type Contract, isExtended } from '../../core/contracts/contract.ts'
import { runCooperatively, runSync } from '../../platform/concurrency/cooperative.ts'
import { KeyedMutex } from '../../platform/concurrency/keyed-mutex.ts'
import type { Database } from '../../platform/database/database.ts'
import { LONG_LOG_RETRY_DELAY_MS, MAX_CLAIM_CACHE_BYTES } from '../limits.ts'

/** The state of a claim that decisions need. */
export interface ClaimSnapshot {
  claim: Claim
  log: EventLog
  /** False: the log was not read. Good for decisions that need no log. */
  isWhole: boolean
  /** The latest time in the log, or the time at which the claim entered its status. */
  lastAt: Date
  /** A hash of the id of each event. */
  idHashes: number[]
  /** Estimated memory without the contract and the satisfied leaves. */
  bytes: number
  /** The size by which the cache holds the snapshot. */
  countedBytes: number
  /** Estimated memory of the contract, which other snapshots may share. */
  contractBytes: number
}

/** Estimated memory of a snapshot, of a hash with the spare room of a growing array and of a satisfied leaf. */
const SNAPSHOT_BYTES = 1_200
const HASH_BYTES = 12
const LEAF_BYTES = 40
const MAX_SHORT_HASHES = 32

/**
 * An LRU cache of snapshots of claims that take events and that this server has written lately. A snapshot may be
 * stale. Only the guard of a write detects that, so a decision from a snapshot is valid only together with a write.
 */
export class ClaimCache {
  readonly #snapshots = new LRUCache<string, ClaimSnapshot>({
    maxSize: MAX_CLAIM_CACHE_BYTES,
    sizeCalculation: ({ countedBytes }) => countedBytes,
    onInsert: (snapshot, _id, reason) => reason !== 'update' && this.#countContract(snapshot),
    dispose: (snapshot) => this.#discountContract(snapshot),
  })
  /** A contract counts once for all its snapshots. */
  readonly #snapshotsByContract = new Map<Contract, number>()
  #contractBytes = 0

  /**
   * The latest snapshot that is larger than the cache: the values of a `distinct` may take that much memory. Without
   * it, a claim with a long log could not be decided.
   */
  #oversized: ClaimSnapshot | null = null

  get(claimId: string): ClaimSnapshot | undefined {
    const oversized = this.#oversized?.claim.id === claimId ? this.#oversized : undefined
    return oversized ?? this.#snapshots.get(claimId)
  }

  /** The snapshot of this version of the claim. */
  getVersion(claim: Claim): ClaimSnapshot | undefined {
    const known = this.#getSame(claim)
    return known?.claim.eventCount === claim.eventCount ? known : undefined
  }

  /** For a snapshot that was read and not written: another batch may have written meanwhile. */
  setIfNewer(snapshot: ClaimSnapshot): void {
    const known = this.#getSame(snapshot.claim)
    if (snapshot.isWhole && !(known && known.claim.eventCount > snapshot.claim.eventCount)) this.set(snapshot)
  }

  /** A claim that was deleted with its test clock may have been made again: its id is in use on another clock, or on none. */
  #getSame({ id, testClockId }: Claim): ClaimSnapshot | undefined {
    const known = this.get(id)
    return known?.claim.testClockId === testClockId ? known : undefined
  }

  set(snapshot: ClaimSnapshot): void {
    const { id } = snapshot.claim
    const { log } = snapshot
    const bytes = snapshot.bytes + LEAF_BYTES * log.satisfiedCount + log.aggregateBytes
    // The cache reads the size of a new entry only.
    if (bytes > 1.2 * snapshot.countedBytes) {
      this.delete(id)
      snapshot.countedBytes = bytes
    }
    if (snapshot.countedBytes + snapshot.contractBytes > MAX_CLAIM_CACHE_BYTES) {
      this.#oversized = snapshot
      return
    }
    this.#snapshots.set(id, snapshot)
    while (this.#snapshots.calculatedSize + this.#contractBytes > MAX_CLAIM_CACHE_BYTES) this.#snapshots.pop()
  }

  delete(claimId: string): void {
    if (this.#oversized?.claim.id === claimId) this.#oversized = null
    this.#snapshots.delete(claimId)
  }

  #countContract({ claim: { contract }, contractBytes }: ClaimSnapshot): void {
    const count = this.#snapshotsByContract.get(contract) ?? 0
    this.#snapshotsByContract.set(contract, count + 1)
    if (count === 0) this.#contractBytes += contractBytes
  }

  #discountContract({ claim: { contract }, contractBytes }: ClaimSnapshot): void {
    const left = (this.#snapshotsByContract.get(contract) ?? 1) - 1
    if (left > 0) this.#snapshotsByContract.set(contract, left)
    else if (this.#snapshotsByContract.delete(contract)) this.#contractBytes -= contractBytes
  }
}

export const newSnapshot = (read: ClaimToDecide): ClaimSnapshot => runSync(makeSnapshot(read))

/** The same, step by step: events of an extended contract may take a millisecond each. */
export function* makeSnapshot({
  claim,
  contractBytes,
  isWhole,
  lastAt,
  digest,
  eventIds,
  decisiveEvents,
}: ClaimToDecide): Generator<void, ClaimSnapshot> {
  const { contract } = claim
  const idHashes = digest ? [...digest.idHashes] : eventIds.map(hashOfId)
  return {
    // Several decisions may start from one read.
    claim: { ...claim },
    log: isExtended(contract)
      ? yield* logOfStatus(claim, decisiveEvents as PlacedEvidence[])
      : logOfOpen(contract, digest, decisiveEvents),
    isWhole,
    lastAt,
    idHashes,
    bytes: SNAPSHOT_BYTES + bytesOfNames(claim) + HASH_BYTES * idHashes.length,
    countedBytes: 0,
    contractBytes,
  }
}

/** The log for a contract of the five fields, whose claims take events only while OPEN. */
const logOfOpen = (
  { fulfillment_condition: condition }: Contract,
  digest: LogDigest | null,
  events: Evidence[],
) => (digest ? logOf(condition, digest) : EventLog.of(condition, events))

/** Names that callers have chosen, at two bytes a character. */
const bytesOfNames = ({ reference, candidateAlias, customerExternalId }: Claim): number =>
  2 * [reference, candidateAlias, customerExternalId].reduce((sum, name) => sum + (name?.length ?? 0), 0)

/** False: the log contains no event with this id. True: the log must be read to know. */
export const mightContain = (snapshot: ClaimSnapshot, id: string): boolean =>
  snapshot.idHashes.includes(hashOfId(id))

export function addIds(snapshot: ClaimSnapshot, ids: readonly string[]): void {
  const hashes = ids.map(hashOfId)
  // An array that grows has room for 16 more elements, so a short array is copied.
  if (snapshot.idHashes.length < MAX_SHORT_HASHES) snapshot.idHashes = snapshot.idHashes.concat(hashes)
  else for (const hash of hashes) snapshot.idHashes.push(hash)
  snapshot.bytes += HASH_BYTES * hashes.length
}

/**
 * Reads long logs into the cache, outside the batches: piece by piece, on a connection of the account's quota, one claim of an
 * account at a time. Megabytes of logs delay no other submission.
 */
export class LongLogLoader {
  readonly #db: Database
  readonly #cache: ClaimCache
  readonly #mutex = new KeyedMutex()

  constructor(db: Database, cache: ClaimCache) {
    this.#db = db
    this.#cache = cache
  }

  /**
   * Resolves when the snapshot is in the cache, or could not be read. Never rejects.
   * @param isWanted is called before the read: nothing is read for submissions that have timed out
   */
  load(userId: string, claimId: string, isWanted: () => boolean): Promise<void> {
    return this.#mutex
      .runExclusive(userId, async () => {
        if (isWanted()) await this.#load(userId, claimId)
      })
      .catch(() => pause(LONG_LOG_RETRY_DELAY_MS, undefined, { ref: false }))
  }

  #load(userId: string, claimId: string): Promise<void> {
    return this.#db.reads.for(userId).withConnection(async (connection) => {
      const snapshots: ClaimSnapshot[] = []
      await readLongLog(connection, claimId, {
        onClaim: (claim) => snapshots.push(newSnapshot(claim)),
        onDecisive: (events) => runCooperatively(addEach(snapshots[0] as ClaimSnapshot, events)),
      })
      for (const snapshot of snapshots) this.#cache.setIfNewer(snapshot)
    })
  }
}

/** One step per event. */
function* addEach(snapshot: ClaimSnapshot, events: readonly Evidence[]): Generator<void, void> {
  for (const event of events) {
    snapshot.log = snapshot.log.with(event)
    yield
  }
}
