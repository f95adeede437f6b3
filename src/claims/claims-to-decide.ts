import { ContractsOfGroup, type ParsedContract, parseContract } from '../contracts/contract-cache.ts'
import { hashOf } from '../contracts/contract-store.ts'
import type { Claim } from '../core/claims/claim.ts'
import type { Evidence, PlacedEvidence } from '../core/claims/event.ts'
import type { LogDigest } from '../core/claims/log-digest.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type StoredClaimRow, toClaim } from './claim-columns.ts'
import {
  type ClaimRow,
  type LogRow,
  type NamedEvents,
  needsNoLog,
  readClaimRows,
  weight,
  weightRead,
} from './claim-row-store.ts'

/** A claim with the parts of its log that a decision needs. */
export interface ClaimToDecide {
  claim: Claim
  /** Estimated bytes of memory. Claims with the same contract share it. */
  contractBytes: number
  /** False: its log is long and was not read. */
  isWhole: boolean
  /** The latest time in the log, or the time at which the claim entered its status. */
  lastAt: Date
  /** Set if the log was not read because the digest is enough. */
  digest: LogDigest | null
  /** Ids of all events. If `isWhole` is false, only of the named events. */
  eventIds: string[]
  /** Events of the types that the conditions name: see `LogRow`. */
  decisiveEvents: (Evidence | PlacedEvidence)[]
}

/** The result of reading several claims. */
export interface ClaimsToDecide {
  /** Each claim is made when it is requested: parsing long contracts takes time. */
  claims: Iterable<ClaimToDecide>
  /** Ids of claims that are too large to be read with the others, with their estimated bytes. */
  oversized: ReadonlyMap<string, number>
  /** Ids of claims whose contracts are missing: see `contractIsMissing`. */
  withoutContract: readonly string[]
}

/** More bytes than any claim has. */
const ALL_BYTES = 2 ** 31

/**
 * Reads the existing claims among these. A log is not read if its digest is enough: that is, unless the digest may
 * contain one of the named events. A long log is not read either, because one claim must not delay the others, and
 * many must not fill the memory (see `readLongLog`). The statement then only checks whether the log contains the
 * named events.
 * Short parts are read at once. A longer contract is not read if it is cached, and read once if several claims share
 * it.
 * @param maxBytes limit of the bytes of contracts and logs, by `weight`. Claims beyond it are oversized; the shortest are
 *   read first.
 * @param maxParsedBytes limit of the bytes of long contracts that are not cached: parsing takes longer than reading
 */
export async function readClaimsToDecide(
  db: Connection,
  wanted: NamedEvents,
  maxBytes = ALL_BYTES,
  maxParsedBytes = maxBytes,
): Promise<ClaimsToDecide> {
  const share = maxBytes / Math.max(wanted.size, 1)
  let rows = await readClaimRows(db, wanted, share, false)
  const contracts = new ContractsOfGroup()
  contracts.add(rows)
  let grouped = groupByCompleteness(rows, contracts)
  const more = idsWithinLimits(grouped, contracts, maxBytes, maxParsedBytes)
  if (more.length > 0) {
    const namedEvents = new Map(more.map((id) => [id, wanted.get(id) ?? []]))
    const whole = new Map((await readClaimRows(db, namedEvents, ALL_BYTES, true)).map((row) => [row.id, row]))
    rows = rows.map((row) => whole.get(row.id) ?? row)
    contracts.add(rows)
    grouped = groupByCompleteness(rows, contracts)
  }
  const { complete, oversized, withoutContract } = grouped
  return {
    claims: complete.values().map((row) => withContract(row, contracts.parsed(row))),
    oversized: new Map(oversized.map((row) => [row.id, weight(row)])),
    withoutContract: withoutContract.map(({ id }) => id),
  }
}

interface GroupedRows {
  /** Everything that a decision needs was read. */
  complete: ClaimRow[]
  /** More must be read. */
  oversized: ClaimRow[]
  withoutContract: ClaimRow[]
}

function groupByCompleteness(rows: readonly ClaimRow[], contracts: ContractsOfGroup): GroupedRows {
  const {
    complete = [],
    oversized = [],
    withoutContract = [],
  } = Object.groupBy(rows, (row) => {
    if (row.is_in_doubt) return 'withoutContract'
    return contracts.has(row) && needsNoLog(row) ? 'complete' : 'oversized'
  })
  return { complete, oversized, withoutContract }
}

/** Ids of the incomplete claims that fit into the limits together with what was read, the shortest first. */
function idsWithinLimits(
  { complete, oversized }: GroupedRows,
  contracts: ContractsOfGroup,
  maxBytes: number,
  maxParsedBytes: number,
): string[] {
  if (oversized.length === 0) return []
  let bytes = [...complete, ...oversized].reduce((sum, row) => sum + weightRead(row), 0)
  let parsed = 0
  const ids: string[] = []
  const hashes = new Set<string>()
  for (const row of oversized.toSorted(compareByWeight)) {
    // The contract is read with another claim.
    if (needsNoLog(row) && hashes.has(row.hash)) continue
    const toParse = contracts.has(row) || hashes.has(row.hash) ? 0 : row.contract_bytes
    if (parsed + toParse > maxParsedBytes) continue
    parsed += toParse
    bytes += weight(row)
    if (bytes > maxBytes) break
    ids.push(row.id)
    hashes.add(row.hash)
  }
  return ids
}

const compareByWeight = (a: ClaimRow, b: ClaimRow) => weight(a) - weight(b) || (a.id < b.id ? -1 : 1)

export const toClaimToDecide = (row: StoredClaimRow & LogRow): ClaimToDecide =>
  withContract(row, parseContract(row.contract, hashOf(row.contract)))

function withContract(
  row: Omit<StoredClaimRow, 'contract'> & LogRow,
  { parsed, bytes }: ParsedContract,
): ClaimToDecide {
  const { is_read, digest, last_at, ids, decisive } = row
  return {
    claim: toClaim({ ...row, contract: parsed }),
    contractBytes: bytes,
    isWhole: is_read || digest !== null,
    lastAt: last_at,
    digest,
    eventIds: ids ?? [],
    decisiveEvents: decisive ?? [],
  }
}
