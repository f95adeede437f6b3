import { IDEMPOTENCY_KEY } from '../platform/database/advisory-locks.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { KEY_RETENTION } from './limits.ts'

const RETENTION = `interval '${KEY_RETENTION}'`

/** Replaces an expired key. */
const ON_CONFLICT_REPLACE_EXPIRED = `ON CONFLICT (user_id, key) DO UPDATE SET created_at = EXCLUDED.created_at, digest = EXCLUDED.digest,
        seed = EXCLUDED.seed, status = EXCLUDED.status, headers = EXCLUDED.headers, body = EXCLUDED.body,
        is_sealed = EXCLUDED.is_sealed
      WHERE idempotency_keys.created_at <= EXCLUDED.created_at - ${RETENTION}`

/** The stored response of a key. */
export interface KeyedAnswer {
  /** SHA-256 of the request. */
  digest: Buffer
  status: number
  headers: Record<string, string>
  body: Buffer
  isSealed: boolean
}

/** Locks the account's key until the transaction ends. Returns false if another request holds the lock. */
export async function tryLockKey(db: Connection, userId: string, key: string): Promise<boolean> {
  const [row] = await db.query<{ is_locked: boolean }>({
    name: 'hold_idempotency_key',
    text: `-- hold_idempotency_key
      SELECT pg_try_advisory_xact_lock(${IDEMPOTENCY_KEY}, hashtext($1 || ' ' || $2)) AS is_locked`,
    values: [userId, key],
  })
  return row?.is_locked === true
}

/** A separate statement after `tryLockKey`: its snapshot includes the response of the previous lock holder. */
export async function findKeyedAnswer(
  db: Connection,
  userId: string,
  key: string,
): Promise<KeyedAnswer | null> {
  const [row] = await db.query<Omit<KeyedAnswer, 'isSealed'> & { is_sealed: boolean }>({
    name: 'find_keyed_answer',
    text: `-- find_keyed_answer
      SELECT digest, status, headers, body, is_sealed FROM idempotency_keys
      WHERE user_id = $1 AND key = $2 AND created_at > ${NOW} - ${RETENTION}`,
    values: [userId, key],
    readOnly: true,
  })
  if (!row) return null
  const { is_sealed: isSealed, ...answer } = row
  return { ...answer, isSealed }
}

/** Replaces an expired response. Returns false if the key has an unexpired response. */
export async function storeKeyedAnswer(
  db: Connection,
  userId: string,
  key: string,
  { digest, status, headers, body, isSealed }: KeyedAnswer,
): Promise<boolean> {
  const rows = await db.query({
    name: 'store_keyed_answer',
    text: `-- store_keyed_answer
      INSERT INTO idempotency_keys (user_id, key, created_at, digest, status, headers, body, is_sealed)
      VALUES ($1, $2, ${NOW}, $3, $4, $5, $6, $7)
      ${ON_CONFLICT_REPLACE_EXPIRED} RETURNING 1`,
    values: [userId, key, digest, status, headers, body, isSealed],
  })
  return rows.length === 1
}

/** A key of a request that creates claims or candidates. */
export interface RequestKey {
  userId: string
  key: string
  /** SHA-256 of the request. */
  digest: Buffer
}

/** The stored state of a key of a creation. */
export interface CreationKey {
  /** The ids of claims are derived from the seed. */
  seed: string
  /** The request was sent before. */
  isKnown: boolean
  /** An earlier attempt has created a claim. Set by the code that finds the claim. */
  hasCreated: boolean
}

/**
 * Inserts new keys and finds known keys. If several requests have the same key, only the first is not known. Null for a key that
 * was used for another request.
 */
export async function insertOrFindKeys(
  db: Connection,
  keys: readonly RequestKey[],
  mayRetry = true,
): Promise<(CreationKey | null)[]> {
  const first = new Map(keys.toReversed().map((key) => [scopedKey(key), key]))
  const sorted = [...first.values()].toSorted((a, b) => (scopedKey(a) < scopedKey(b) ? -1 : 1))
  const columns = [plainArray(sorted.map(({ userId }) => userId)), sorted.map(({ key }) => key)]
  const inserted = await db.query<KeyRow>({
    name: 'begin_idempotency_keys',
    text: `-- begin_idempotency_keys
      INSERT INTO idempotency_keys (user_id, key, created_at, digest, seed)
      SELECT user_id, key, ${NOW}, decode(digest, 'hex'), gen_random_uuid()
      FROM unnest($1::uuid[], $2::text[], $3::text[]) AS requested (user_id, key, digest)
      ${ON_CONFLICT_REPLACE_EXPIRED} RETURNING user_id, key, digest, seed`,
    values: [...columns, sorted.map(({ digest }) => digest.toString('hex'))],
  })
  // A separate statement: its snapshot includes keys that were inserted meanwhile.
  const known =
    inserted.length === sorted.length
      ? []
      : await db.query<KeyRow>({
          name: 'find_idempotency_keys',
          text: `-- find_idempotency_keys
            SELECT user_id, key, digest, seed
            FROM unnest($1::uuid[], $2::text[]) AS requested (user_id, key) JOIN idempotency_keys USING (user_id, key)`,
          values: columns,
          readOnly: true,
        })
  const isNew = new Set(inserted.map(scopedKeyOfRow))
  const found = new Map([...known, ...inserted].map((row) => [scopedKeyOfRow(row), row]))
  // An expired key was removed meanwhile. The next attempt inserts it.
  if (found.size < sorted.length && mayRetry) return insertOrFindKeys(db, keys, false)
  return keys.map((key) => {
    const scoped = scopedKey(key)
    const row = found.get(scoped)
    if (!row) throw new Error('an Idempotency-Key was neither inserted nor found')
    const { seed, digest } = row
    if (seed === null || !digest.equals(key.digest)) return null
    return { seed, isKnown: !isNew.has(scoped) || key !== first.get(scoped), hasCreated: false }
  })
}

interface KeyRow {
  user_id: string
  key: string
  digest: Buffer
  seed: string | null
}

/** Accounts may use the same keys. */
const scopedKey = ({ userId, key }: Pick<RequestKey, 'userId' | 'key'>) => `${userId} ${key}`
const scopedKeyOfRow = (row: KeyRow) => scopedKey({ userId: row.user_id, key: row.key })

/** Removes expired keys, the oldest first. Returns how many were removed. */
export async function removeOldKeys(db: Connection, count: number): Promise<number> {
  const rows = await db.query({
    text: `-- remove_old_idempotency_keys
      DELETE FROM idempotency_keys WHERE (user_id, key) IN (
        SELECT user_id, key FROM idempotency_keys WHERE created_at <= (SELECT ${NOW}) - ${RETENTION}
        ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
    values: [count],
  })
  return rows.length
}

/** How and when a claim or candidate was created. */
export interface Creation {
  id: string
  createdAt: Date
  schemaId: string | null
  schemaVersion: number | null
  /** Seed of the key of its request. */
  seed: string | null
  /** Hexadecimal; null if an older version created the claim. */
  contractHash: string | null
  /** Of the contract's calendar; null without one. */
  calendarVersion: number | null
  reminders: number[] | null
}

/** The creations of the account's claims and candidates with these ids, by id. */
export async function findCreations(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, Creation>> {
  const rows = await db.query<{
    id: string
    created_at: Date
    schema_id: string | null
    schema_version: number | null
    seed: string | null
    contract_hash: string | null
    calendar_version: number | null
    reminders: number[] | null
  }>({
    name: 'find_creations',
    text: `-- find_creations
      SELECT id, created_at, schema_id, schema_version, seed, encode(contract_hash, 'hex') AS contract_hash,
        CASE WHEN decided_count IS NOT NULL THEN (
          SELECT (document->'clock'->'calendar'->>'version')::integer FROM contracts WHERE hash = contract_hash
        ) END AS calendar_version,
        reminders
      FROM claims WHERE id = ANY ($1::uuid[]) AND user_id = $2`,
    values: [plainArray(ids), userId],
    readOnly: true,
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        createdAt: row.created_at,
        schemaId: row.schema_id,
        schemaVersion: row.schema_version,
        seed: row.seed,
        contractHash: row.contract_hash,
        calendarVersion: row.calendar_version,
        reminders: row.reminders,
      },
    ]),
  )
}

/** Stored contracts as JSON, by hash: the first ones that have at most `maxBytes` together. */
export async function readStoredContracts(
  db: Connection,
  hashes: readonly string[],
  maxBytes: number,
): Promise<Map<string, string>> {
  const rows = await db.query<{ hash: string; document: string }>({
    name: 'read_stored_contracts',
    text: `-- read_stored_contracts
      SELECT encode(hash, 'hex') AS hash, document::text AS document
      FROM (SELECT hash, document, sum(bytes) OVER (ORDER BY hash) AS sum FROM contracts WHERE hash = ANY ($1::bytea[])) AS found
      WHERE sum <= $2`,
    values: [hashes.map((hash) => `\\x${hash}`), maxBytes],
    readOnly: true,
  })
  return new Map(rows.map(({ hash, document }) => [hash, document]))
}
