import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { textArray } from '../platform/database/sql-array.ts'

/*
 * A contract whose claims were deleted may have other claims, or get new claims at any time. So a contract is first marked,
 * and removed only if a later scan of all claims finds no use. A statement that creates a claim with a marked contract
 * removes the mark (`storeContracts`). A statement that began before the mark does not see the mark, but ends long before
 * the scan.
 */

/** A contract without claims, perhaps: by its hash, hexadecimal, and since when, as stored. */
export interface UnusedContract {
  hash: string
  since: string
}

/** Contracts that have been marked for so long, the first ones first. */
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

export interface UsesSeen {
  /** The id of the last claim that was looked at; null if there was none. */
  lastId: string | null
  /** Those that are used. */
  used: UnusedContract[]
}

/** Scans the next claims in the order of their ids. Returns which of these contracts they use. */
export async function findUses(
  db: Connection,
  contracts: readonly UnusedContract[],
  afterId: string,
  limit: number,
): Promise<UsesSeen> {
  const [seen] = await db.query<{ lastId: string | null; used: string[] }>({
    name: 'find_contract_uses',
    text: `-- find_contract_uses
      WITH seen AS MATERIALIZED (SELECT id, contract_hash FROM claims WHERE id > $1 ORDER BY id LIMIT $2)
      SELECT (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS "lastId",
        ARRAY(SELECT DISTINCT encode(contract_hash, 'hex') FROM seen WHERE contract_hash = ANY ($3::bytea[])) AS used`,
    values: [afterId, limit, toBytes(contracts)],
    readOnly: true,
  })
  const used = new Set(seen?.used)
  return { lastId: seen?.lastId ?? null, used: contracts.filter(({ hash }) => used.has(hash)) }
}

/** Those that still have the mark that they had when they were found: claims may have come and gone since. */
const MARKED = `marked AS MATERIALIZED (
        SELECT c.hash FROM contracts c
        JOIN unnest($1::bytea[], $2::timestamptz[]) AS u (hash, since) ON c.hash = u.hash AND c.unused_since = u.since
        ORDER BY c.hash FOR UPDATE OF c
      )`

/**
 * The same for distributed tables: there one writes to contracts after the other, so that nobody waits in a circle; and
 * Citus cannot hand on what another part of the statement has found if that is bytes.
 */
const IS_MARKED = `unnest($1::bytea[], $2::timestamptz[]) AS u (hash, since)
      WHERE c.hash = u.hash AND c.unused_since = u.since`

/** Takes their marks off. */
export async function keepContracts(db: Connection, contracts: readonly UnusedContract[]): Promise<void> {
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

/** Removes them. Returns how many. */
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
