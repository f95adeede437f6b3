import type pg from 'pg'
import { newContract } from './source/claims.ts'
import { type Contract, decisiveEventTypes } from './source/contracts.ts'

/** Stores a contract by SQL, as a creation does. Returns its hash, for claims that are inserted by SQL. */
export async function storeContract(sql: pg.Client, contract: Contract): Promise<Buffer> {
  const { hash, text } = newContract(contract)
  const { review_window, timeout_outcome } = contract
  const key = Buffer.from(hash, 'hex')
  await sql.query(
    `INSERT INTO contracts (hash, document, bytes, event_types, review_window, timeout_outcome)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [key, text, Buffer.byteLength(text), decisiveEventTypes(contract), review_window, timeout_outcome],
  )
  return key
}
