import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { textArray } from '../platform/database/sql-array.ts'

/*
 * A contract whose claims were deleted may have other claims, or get new claims at any time. So a contract is first marked,
 * and removed only if a later scan finds no claim with it. A statement that creates a claim with a marked contract
 * removes the mark (`storeContractsCte`). A statement that began before the mark does not see the mark, but ends long before
 * the scan.
 */

/** A contract that may have no claims: its hash in hexadecimal, and the stored time of its mark. */
export interface UnusedContract {
  hash: string
  since: string
}

/** Contracts that have been marked for long enough, oldest first. */
export function findUnusedContracts(
  db: Connection,
  markedForMs: number,
  limit: number,
): Promise<UnusedContract[]> {
  return db.query<UnusedContract>({
    text: `-- find_unused_contracts
      SELECT encode(hash, 'hex') AS hash, unused_since::text AS since FROM contracts
      WHERE unused_since <= ${NOW} - $1 * interval '1 millisecond' ORDER BY unused_since LIMIT $2`,
    values: [markedForMs, limit],
    readOnly: true,
  })
}

export interface ScanResult {
  /** The id of the last scanned claim; null if no claim was left. */
  lastId: string | null
  /** The contracts that claims use. */
  used: UnusedContract[]
}

/** Scans the next claims, in the order of their ids, for uses of these contracts. */
export async function scanForUses(
  db: Connection,
  contracts: readonly UnusedContract[],
  afterId: string,
  limit: number,
): Promise<ScanResult> {
  const [scanned] = await db.query<{ lastId: string | null; used: string[] }>({
    name: 'find_contract_uses',
    text: `-- find_contract_uses
      WITH scanned AS MATERIALIZED (SELECT id, contract_hash FROM claims WHERE id > $1 ORDER BY id LIMIT $2)
      SELECT (SELECT id FROM scanned ORDER BY id DESC LIMIT 1) AS "lastId",
        ARRAY(SELECT DISTINCT encode(contract_hash, 'hex') FROM scanned WHERE contract_hash = ANY ($3::bytea[])) AS used`,
    values: [afterId, limit, toBytes(contracts)],
    readOnly: true,
  })
  const used = new Set(scanned?.used)
  return { lastId: scanned?.lastId ?? null, used: contracts.filter(({ hash }) => used.has(hash)) }
}

/** The contracts whose mark is unchanged: claims may have been created and deleted since the contracts were found. */
const MARKED = `marked AS MATERIALIZED (
        SELECT c.hash FROM contracts c
        JOIN unnest($1::bytea[], $2::timestamptz[]) AS u (hash, since) ON c.hash = u.hash AND c.unused_since = u.since
        ORDER BY c.hash FOR UPDATE OF c
      )`

/**
 * The same for distributed tables. Writes to contracts are serialized there, so they cannot deadlock. Citus cannot
 * pass bytea values from one part of a statement to another.
 */
const IS_MARKED = `unnest($1::bytea[], $2::timestamptz[]) AS u (hash, since)
      WHERE c.hash = u.hash AND c.unused_since = u.since`

/** Removes the marks of contracts that claims use. */
export async function unmarkContracts(db: Connection, contracts: readonly UnusedContract[]): Promise<void> {
  await db.query({
    text: db.distribution.isOn
      ? `-- keep_contracts
      UPDATE contracts c SET unused_since = NULL FROM ${IS_MARKED}`
      : `-- keep_contracts
      WITH ${MARKED}
      UPDATE contracts SET unused_since = NULL WHERE hash = ANY (ARRAY(SELECT hash FROM marked))`,
    values: [toBytes(contracts), toTimes(contracts)],
  })
}

/** Removes the contracts. Returns their number. */
export async function removeContracts(db: Connection, contracts: readonly UnusedContract[]): Promise<number> {
  const removed = await db.query({
    text: db.distribution.isOn
      ? `-- remove_contracts
      DELETE FROM contracts c USING ${IS_MARKED} RETURNING true`
      : `-- remove_contracts
      WITH ${MARKED}
      DELETE FROM contracts WHERE hash = ANY (ARRAY(SELECT hash FROM marked)) RETURNING true`,
    values: [toBytes(contracts), toTimes(contracts)],
  })
  return removed.length
}

const toBytes = (contracts: readonly UnusedContract[]) => textArray(contracts.map(({ hash }) => `\\x${hash}`))
const toTimes = (contracts: readonly UnusedContract[]) => textArray(contracts.map(({ since }) => since))
