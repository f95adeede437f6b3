import { hashOf } from '../contracts/contract-store.ts'
import { ContractsOfGroup, type ParsedContract, parseContract } from '../contracts/known-contracts.ts'
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

/** A claim with what a decision needs of its log. */
export interface ClaimToDecide {
  claim: Claim
  /** Of memory, estimated. The contract is shared by claims under the same. */
  contractBytes: number
  /** False: its log is long and was not read. */
  isWhole: boolean
  /** The last time in its log, or when it entered its status. */
  lastAt: Date
  /** If that was enough, and the log was not read. */
  digest: LogDigest | null
  /** Of every event; if it is not whole, of those that were named. */
  eventIds: string[]
  /** Those of the types that the conditions name; see `LogRow`. */
  decisiveEvents: (Evidence | PlacedEvidence)[]
}

/** What was read of several claims. */
export interface ClaimsToDecide {
  /** Each is made of its row as it is asked for: that takes a while if contracts are long. */
  claims: Iterable<ClaimToDecide>
  /** Ids of claims that are too large to be read with the others, with their estimated bytes. */
  oversized: ReadonlyMap<string, number>
  /** Ids of claims whose contracts are missing: see `contractIsMissing`. */
  withoutContract: readonly string[]
}

/** More than any has. */
const ALL_BYTES = 2 ** 31

/**
 * These claims, as many of them as there are. A log of which there is a digest is not read, unless one of the named
 * events may be in it; nor a long one, so that one claim cannot hold up others, nor many fill the memory (see
 * `readLongLog`): it is only looked whether the named events are in it.
 *
 * What is short is read at once. A longer contract that is known is not read, and one that many claims share is read
 * once.
 * @param most bytes that are read, of contracts and a quarter of logs: what is more is oversized, the shortest last
 * @param mostParsed of these, bytes of contracts that are long and unknown: to parse one takes longer than to read it
 */
export async function readClaimsToDecide(
  db: Connection,
  wanted: NamedEvents,
  most = ALL_BYTES,
  mostParsed = most,
): Promise<ClaimsToDecide> {
  const share = most / Math.max(wanted.size, 1)
  let rows = await readClaimRows(db, wanted, share, false)
  const contracts = new ContractsOfGroup()
  contracts.add(rows)
  let there = byWhatIsThere(rows, contracts)
  const more = thoseThatFit(there, contracts, most, mostParsed)
  if (more.length > 0) {
    const those = new Map(more.map((id) => [id, wanted.get(id) ?? []]))
    const whole = new Map((await readClaimRows(db, those, ALL_BYTES, true)).map((row) => [row.id, row]))
    rows = rows.map((row) => whole.get(row.id) ?? row)
    contracts.add(rows)
    there = byWhatIsThere(rows, contracts)
  }
  const { complete, oversized, withoutContract } = there
  return {
    claims: complete.values().map((row) => withContract(row, contracts.parsed(row))),
    oversized: new Map(oversized.map((row) => [row.id, weight(row)])),
    withoutContract: withoutContract.map(({ id }) => id),
  }
}

interface WhatIsThere {
  /** Everything that a decision needs was read. */
  complete: ClaimRow[]
  /** More must be read. */
  oversized: ClaimRow[]
  withoutContract: ClaimRow[]
}

function byWhatIsThere(rows: readonly ClaimRow[], contracts: ContractsOfGroup): WhatIsThere {
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

/** Those of which more is to be read, and can be with what was read already. The shortest come first. */
function thoseThatFit(
  { complete, oversized }: WhatIsThere,
  contracts: ContractsOfGroup,
  most: number,
  mostParsed: number,
): string[] {
  if (oversized.length === 0) return []
  let bytes = [...complete, ...oversized].reduce((sum, row) => sum + weightRead(row), 0)
  let parsed = 0
  const ids: string[] = []
  const hashes = new Set<string>()
  for (const row of oversized.toSorted(byWeight)) {
    // Its contract comes with another.
    if (needsNoLog(row) && hashes.has(row.hash)) continue
    const toParse = contracts.has(row) || hashes.has(row.hash) ? 0 : row.contract_bytes
    if (parsed + toParse > mostParsed) continue
    parsed += toParse
    bytes += weight(row)
    if (bytes > most) break
    ids.push(row.id)
    hashes.add(row.hash)
  }
  return ids
}

const byWeight = (a: ClaimRow, b: ClaimRow) => weight(a) - weight(b) || (a.id < b.id ? -1 : 1)

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
