import { createHash } from 'node:crypto'
import { type Contract, decisiveEventTypes, windowMs } from '../core/contracts/contract.ts'
import { type ServiceError, unavailable } from '../kernel/errors.ts'
import { ifShort, plainArray, textArray } from '../platform/database/sql-array.ts'

/* A contract is stored once, under the hash of its text. A claim made by an older version may still have its own. */

/** SQL for the contract of a row of `claims`, as JSON. */
export const CONTRACT = 'coalesce(contract, (SELECT document FROM contracts WHERE hash = contract_hash))'

/** The same as text, but null if it has more bytes than `most`. */
export const contractIfShort = (most: number): string =>
  `CASE WHEN contract_hash IS NULL THEN ${ifShort('contract', most)}
    ELSE (SELECT document::text FROM contracts WHERE hash = contract_hash AND bytes <= ${most}) END`

/** A contract as it is stored, with what stands in columns of its own. */
export interface NewContract {
  contract: Contract
  /** As JSON. */
  text: string
  /** SHA-256 of the text in UTF-8, hexadecimal. */
  hash: string
}

export function newContract(contract: Contract): NewContract {
  const text = JSON.stringify(contract)
  return { contract, text, hash: hashOf(text) }
}

/**
 * A machine has a claim and not yet its contract. Citus commits a contract on all machines, but if a connection is lost
 * meanwhile, on one of them only a while later (`citus.recover_2pc_interval`): until then nothing can be told of the claim,
 * nor decided. The database is there, and does what else it is asked.
 */
export const contractIsMissing = (): ServiceError => unavailable('A contract cannot be read at the moment.')

/** The hash under which a contract with this text is stored, hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** SQL for a table of contracts, numbered from 1, out of `contractParameters`: the first of those is `$first`. */
export const givenContracts = (first: number): string => {
  const types = ['bytea', 'json', 'json', 'numeric', 'float8', 'float8', 'text']
  return `given AS MATERIALIZED (
        SELECT hash, document, ARRAY(SELECT json_array_elements_text(types)) AS event_types, price, window_ms,
          review_window, timeout_outcome, number
        FROM unnest(${types.map((type, i) => `$${first + i}::${type}[]`).join(', ')}) WITH ORDINALITY
          AS g (hash, document, types, price, window_ms, review_window, timeout_outcome, number)
      )`
}

/** The values of `givenContracts`. */
export const contractParameters = (contracts: readonly NewContract[]): unknown[] => [
  textArray(contracts.map(({ hash }) => `\\x${hash}`)),
  textArray(contracts.map(({ text }) => text)),
  textArray(contracts.map(({ contract }) => JSON.stringify(decisiveEventTypes(contract)))),
  plainArray(contracts.map(({ contract }) => contract.price)),
  plainArray(contracts.map(({ contract }) => windowMs(contract.activity_window))),
  plainArray(contracts.map(({ contract }) => contract.review_window)),
  plainArray(contracts.map(({ contract }) => contract.timeout_outcome)),
]

/**
 * SQL that stores the contracts of a table that has their columns, and keeps those from removal that are there. In the
 * order of their hashes: of two who store several, none waits for the other in a circle. Each may be in it once.
 */
export const storeContracts = (from: string): string => `stored AS (
        INSERT INTO contracts (hash, document, bytes, event_types, review_window, timeout_outcome)
        SELECT hash, document, octet_length(document::text), event_types, review_window, timeout_outcome
        FROM ${from} AS wanted
        WHERE (SELECT unused_since IS NULL FROM contracts known WHERE known.hash = wanted.hash) IS NOT TRUE
        ORDER BY hash
        ON CONFLICT (hash) DO UPDATE SET unused_since = NULL WHERE contracts.unused_since IS NOT NULL
        RETURNING true
      )`
