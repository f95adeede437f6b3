import { IDEMPOTENCY_KEY } from './database/advisory-locks.ts'
import { NOW } from './database/clock.ts'
import type { Connection } from './database/connection.ts'

/** For how long a key stands for its answer (§4.17). */
const KEPT = "interval '24 hours'"

/** What a key stands for. */
export interface KeyedAnswer {
  /** SHA-256 of what was asked. */
  digest: Buffer
  status: number
  headers: Record<string, string>
  body: Buffer
  isSealed: boolean
}

/** Until the transaction ends no other request has the account's key. False if one has it now. */
export async function holdKey(db: Connection, userId: string, key: string): Promise<boolean> {
  const [row] = await db.query<{ is_held: boolean }>({
    name: 'hold_idempotency_key',
    text: `-- hold_idempotency_key
      SELECT pg_try_advisory_xact_lock(${IDEMPOTENCY_KEY}, hashtext($1 || ' ' || $2)) AS is_held`,
    values: [userId, key],
  })
  return row?.is_held === true
}

/** In a statement of its own, once the key is held: so it sees what whoever held it before has left. */
export async function findKeyedAnswer(
  db: Connection,
  userId: string,
  key: string,
): Promise<KeyedAnswer | null> {
  const [row] = await db.query<Omit<KeyedAnswer, 'isSealed'> & { is_sealed: boolean }>({
    name: 'find_keyed_answer',
    text: `-- find_keyed_answer
      SELECT digest, status, headers, body, is_sealed FROM idempotency_keys
      WHERE user_id = $1 AND key = $2 AND created_at > ${NOW} - ${KEPT}`,
    values: [userId, key],
    readOnly: true,
  })
  if (!row) return null
  const { is_sealed: isSealed, ...answer } = row
  return { ...answer, isSealed }
}

/** In place of one that has been kept for long enough. */
export async function storeKeyedAnswer(
  db: Connection,
  userId: string,
  key: string,
  { digest, status, headers, body, isSealed }: KeyedAnswer,
): Promise<void> {
  await db.query({
    name: 'store_keyed_answer',
    text: `-- store_keyed_answer
      INSERT INTO idempotency_keys (user_id, key, created_at, digest, status, headers, body, is_sealed)
      VALUES ($1, $2, ${NOW}, $3, $4, $5, $6, $7)
      ON CONFLICT (user_id, key) DO UPDATE SET created_at = EXCLUDED.created_at, digest = EXCLUDED.digest,
        status = EXCLUDED.status, headers = EXCLUDED.headers, body = EXCLUDED.body, is_sealed = EXCLUDED.is_sealed`,
    values: [userId, key, digest, status, headers, body, isSealed],
  })
}

/** Those that have been kept for long enough, the oldest first. Returns how many were removed. */
export async function removeOldKeys(db: Connection, count: number): Promise<number> {
  const rows = await db.query({
    text: `-- remove_old_idempotency_keys
      DELETE FROM idempotency_keys WHERE (user_id, key) IN (
        SELECT user_id, key FROM idempotency_keys WHERE created_at <= (SELECT ${NOW}) - ${KEPT}
        ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
    values: [count],
  })
  return rows.length
}
