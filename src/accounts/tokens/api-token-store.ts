import { v7 as uuidv7 } from 'uuid'
import type { ApiToken } from '../../core/records.ts'
import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Place } from '../../platform/database/lists/list-page.ts'
import { ENDED_BATCH_SIZE, TOKEN_USE_INTERVAL_SECONDS } from '../limits.ts'

interface ApiTokenRow {
  id: string
  user_id: string
  email: string
  name: string
  session_id: string | null
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

/** The condition that a token gives access. */
const IS_ACTIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())'
const COLUMNS = `t.id, t.user_id, u.email, t.name, t.session_id, t.created_at, t.expires_at, t.last_used_at, t.revoked_at`

const toApiToken = (row: ApiTokenRow): ApiToken => ({
  id: row.id,
  userId: row.user_id,
  email: row.email,
  name: row.name,
  sessionId: row.session_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

interface NewApiToken {
  userId: string
  name: string
  /** SHA-256. */
  hash: Buffer
  expiresAt: Date | null
  /** The session that creates the token; null for the command line. */
  sessionId: string | null
  /** Maximum number of active tokens of the account; null for no limit. */
  maxActive: number | null
}

/**
 * Stores a token. Returns its id, or why there is none. The statement locks the session's row until the commit: either the end of
 * the session finds the token, or this statement finds no session. Concurrent inserts do not count each other: an account may
 * exceed the limit by as many tokens as connections write at once.
 */
export async function insertApiToken(
  db: Connection,
  token: NewApiToken,
): Promise<{ id: string } | 'too many' | 'session ended'> {
  const [row] = await db.query<{ id: string | null; is_full: boolean }>({
    name: 'insert_api_token',
    text: `-- insert_api_token
      WITH account AS (
        SELECT coalesce((SELECT count(*) FROM api_tokens WHERE user_id = $2 AND ${IS_ACTIVE}) >= $7::int, false) AS is_full
      ), inserted AS (
        INSERT INTO api_tokens (id, user_id, name, token_hash, created_at, expires_at, session_id)
        SELECT $1, $2, $3, $4, ${NOW}, $5, $6 FROM account
        WHERE NOT is_full
          AND ($6::uuid IS NULL OR EXISTS (SELECT FROM sessions WHERE id = $6::uuid FOR KEY SHARE))
        RETURNING id
      )
      SELECT is_full, (SELECT id FROM inserted) AS id FROM account`,
    values: [
      uuidv7(),
      token.userId,
      token.name,
      token.hash,
      token.expiresAt,
      token.sessionId,
      token.maxActive,
    ],
  })
  if (row?.id) return { id: row.id }
  return row?.is_full ? 'too many' : 'session ended'
}

/**
 * Deletes the account's revoked and expired tokens beyond the newest `kept`, a batch per call. Rows that are locked are left
 * to the next call.
 */
export async function forgetEndedTokens(db: Connection, userId: string, kept: number): Promise<void> {
  await db.query({
    name: 'forget_ended_tokens',
    text: `-- forget_ended_tokens
      DELETE FROM api_tokens WHERE id IN (
        SELECT id FROM api_tokens WHERE NOT (${IS_ACTIVE}) AND id = ANY (ARRAY(
          SELECT id FROM api_tokens WHERE user_id = $1 AND NOT (${IS_ACTIVE})
          ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT ${ENDED_BATCH_SIZE}
        )) FOR UPDATE SKIP LOCKED)`,
    values: [userId, kept],
  })
}

interface TokenOwner {
  userId: string
  /** Null if the token does not expire. */
  expiresInMs: number | null
}

/** The account of the active token with this hash; null if there is none. */
export async function findTokenOwner(db: Connection, hash: Buffer): Promise<TokenOwner | null> {
  const [row] = await db.query<{ user_id: string; expires_in_ms: number | null }>({
    name: 'find_token_owner',
    text: `-- find_token_owner
      SELECT user_id, (1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8 AS expires_in_ms
      FROM api_tokens WHERE token_hash = $1 AND ${IS_ACTIVE}`,
    values: [hash],
    readOnly: true,
  })
  return row ? { userId: row.user_id, expiresInMs: row.expires_in_ms } : null
}

/** Whether the account has a token, valid or not. */
export async function hasApiToken(db: Connection, userId: string): Promise<boolean> {
  const rows = await db.query({
    name: 'has_api_token',
    text: `-- has_api_token
      SELECT 1 FROM api_tokens WHERE user_id = $1 LIMIT 1`,
    values: [userId],
    readOnly: true,
  })
  return rows.length > 0
}

/** Every token, oldest first. */
export async function listApiTokens(db: Connection): Promise<ApiToken[]> {
  const rows = await db.query<ApiTokenRow>({
    name: 'list_api_tokens',
    text: `-- list_api_tokens
      SELECT ${COLUMNS} FROM api_tokens t JOIN users u ON u.id = t.user_id
      ORDER BY t.created_at, t.id`,
  })
  return rows.map(toApiToken)
}

/** The account's tokens after a position, newest first. */
export async function listApiTokensOf(
  db: Connection,
  userId: string,
  after: Place,
  limit: number,
): Promise<{ item: ApiToken; place: Place }[]> {
  const rows = await db.query<ApiTokenRow & { place_time: string }>({
    name: 'list_api_tokens_of',
    text: `-- list_api_tokens_of
      SELECT ${COLUMNS}, t.created_at::text AS place_time FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.user_id = $1 AND (t.created_at, t.id) < ($2::timestamptz, $3::uuid)
      ORDER BY t.created_at DESC, t.id DESC LIMIT $4`,
    values: [userId, after.time, after.id, limit],
    readOnly: true,
  })
  return rows.map((row) => ({ item: toApiToken(row), place: { time: row.place_time, id: row.id } }))
}

export async function findApiToken(db: Connection, userId: string, id: string): Promise<ApiToken | null> {
  const [row] = await db.query<ApiTokenRow>({
    name: 'find_api_token',
    text: `-- find_api_token
      SELECT ${COLUMNS} FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.user_id = $1 AND t.id = $2`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toApiToken(row) : null
}

/** Sets the time of the last use, at most once per interval by all servers together. Does not change the token's validity. */
export async function touchApiToken(db: Connection, hash: Buffer): Promise<void> {
  await db.query({
    name: 'touch_api_token',
    text: `-- touch_api_token
      UPDATE api_tokens SET last_used_at = ${NOW}
      WHERE token_hash = $1 AND (last_used_at IS NULL OR last_used_at <= clock_timestamp() - interval '${TOKEN_USE_INTERVAL_SECONDS} seconds')`,
    values: [hash],
  })
}

/**
 * Revokes a token. Returns the number of the revocation for `waitUntilAcknowledged`, or null if there is no such token. Revoking
 * twice changes nothing.
 */
export function revokeApiToken(db: Connection, id: string): Promise<number | null> {
  // In one transaction: `currval` returns the last number that the same connection has drawn.
  return db.transaction(async (connection) => {
    const rows = await connection.query({
      name: 'revoke_api_token',
      text: `-- revoke_api_token
        UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ${NOW})
        WHERE id = $1 RETURNING id`,
      values: [id],
    })
    if (rows.length === 0) return null
    const [row] = await connection.query<{ number: number }>({
      text: "SELECT currval('token_revocations')::integer AS number",
    })
    return row?.number ?? null
  })
}

/** Revokes the tokens that were created in these sessions. Returns the number of revoked tokens. */
export async function revokeTokensOfSessions(
  db: Connection,
  userId: string,
  sessionIds: readonly string[],
): Promise<number> {
  const rows = await db.query({
    name: 'revoke_tokens_of_sessions',
    text: `-- revoke_tokens_of_sessions
      UPDATE api_tokens SET revoked_at = ${NOW}
      WHERE user_id = $1 AND session_id = ANY($2::uuid[]) AND revoked_at IS NULL RETURNING id`,
    values: [userId, sessionIds],
  })
  return rows.length
}
