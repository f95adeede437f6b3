import { createHash } from 'node:crypto'
import { type Contract, decisiveEventTypes, windowMs } from '../core/contracts/contract.ts'
import { type ServiceError, unavailable } from '../kernel/errors.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ifShort } from '../platform/database/sql-array.ts'

/* A contract is stored once, under the hash of its text. A claim that an older version created may still have its own copy. */

/** SQL for the contract of a row of `claims`, as JSON. */
export const CONTRACT = 'coalesce(contract, (SELECT document FROM contracts WHERE hash = contract_hash))'

/** SQL for the contract as text. Null if the text has more bytes than `maxBytes`. */
export const contractIfShort = (maxBytes: number): string =>
  `CASE WHEN contract_hash IS NULL THEN ${ifShort('contract', maxBytes)}
    ELSE (SELECT document::text FROM contracts WHERE hash = contract_hash AND bytes <= ${maxBytes}) END`

/** A contract with the columns that are stored beside it. */
export interface NewContract {
  contract: Contract
  /** JSON. */
  text: string
  /** SHA-256 of the text in UTF-8, hexadecimal. */
  hash: string
}

export function newContract(contract: Contract): NewContract {
  const text = JSON.stringify(contract)
  return { contract, text, hash: hashOf(text) }
}

/** Any stored contract. Null if there is none. */
export async function findStoredContract(db: Connection): Promise<NewContract | null> {
  const [row] = await db.query<{ hash: string; document: Contract }>({
    text: `-- find_stored_contract
      SELECT encode(hash, 'hex') AS hash, document FROM contracts WHERE unused_since IS NULL LIMIT 1`,
    readOnly: true,
  })
  return row ? { ...newContract(row.document), hash: row.hash } : null
}

/**
 * The error for a claim whose contract is missing on its Citus node. Citus commits a contract on all nodes. If it loses a
 * connection during the commit, a node commits later (`citus.recover_2pc_interval`). Until then the claim can be neither
 * shown nor decided. Other requests are not affected.
 */
export const contractIsMissing = (): ServiceError => unavailable('A contract cannot be read at the moment.')

/** The hash that identifies a contract with this text, in hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The columns of new contracts, each contract once. @param first the number of the first parameter */
export const contractColumns = (first = 1) =>
  new Columns<NewContract>(
    {
      hash: ['bytea', ({ hash }) => `\\x${hash}`],
      document: ['json', ({ text }) => text],
      types: ['json', ({ contract }) => JSON.stringify(decisiveEventTypes(contract))],
      price: ['numeric', ({ contract }) => contract.price],
      window_ms: ['float8', ({ contract }) => windowMs(contract.activity_window)],
      review_window: ['float8', ({ contract }) => contract.review_window],
      timeout_outcome: ['text', ({ contract }) => contract.timeout_outcome],
    },
    first,
  )

/** SQL: the CTE `given` with the new contracts. */
export const givenContracts = (columns: Columns<NewContract>): string => `given AS MATERIALIZED (
        SELECT hash, document, ARRAY(SELECT json_array_elements_text(types)) AS event_types, price, window_ms,
          review_window, timeout_outcome
        FROM ${columns.as('g')}
      )`

/**
 * SQL: stores the contracts of a table with their columns, and locks existing ones against removal. Rows are locked
 * in the order of their hashes, so statements that store several contracts cannot deadlock. The table must not
 * have a contract twice.
 */
export const storeContractsCte = (from: string): string => `stored AS (
        INSERT INTO contracts (hash, document, bytes, event_types, review_window, timeout_outcome)
        SELECT hash, document, octet_length(document::text), event_types, review_window, timeout_outcome
        FROM ${from} AS wanted
        WHERE (SELECT unused_since IS NULL FROM contracts existing WHERE existing.hash = wanted.hash) IS NOT TRUE
        ORDER BY hash
        ON CONFLICT (hash) DO UPDATE SET unused_since = NULL WHERE contracts.unused_since IS NOT NULL
        RETURNING true
      )`

const GIVEN = contractColumns()

/** Stores contracts without duplicates. @param name of the statement */
export async function storeContracts(
  db: Connection,
  name: string,
  contracts: readonly NewContract[],
): Promise<void> {
  await db.query({
    name,
    text: `-- ${name}
      WITH ${givenContracts(GIVEN)},
      ${storeContractsCte('given')}
      SELECT count(*) FROM stored`,
    values: GIVEN.values(contracts),
  })
}
