import type { Connection } from '../../platform/database/connection.ts'

/* better-auth creates and renews sessions. These are the service's own statements. */

/** The session and its account. Null if the session has expired or was revoked. The column `token` holds a hash. */
export async function findSession(
  db: Connection,
  tokenHash: string,
): Promise<{ id: string; userId: string } | null> {
  const [row] = await db.query<{ id: string; user_id: string }>({
    name: 'find_session',
    text: `-- find_session
      SELECT id, user_id FROM sessions WHERE token = $1 AND expires_at > clock_timestamp()`,
    values: [tokenHash],
    readOnly: true,
  })
  return row ? { id: row.id, userId: row.user_id } : null
}

/** Deletes the session if it belongs to the account. Returns the deleted ids: one or none. */
export async function deleteSession(db: Connection, userId: string, tokenHash: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'delete_session',
    text: `-- delete_session
      DELETE FROM sessions WHERE user_id = $1 AND token = $2 RETURNING id`,
    values: [userId, tokenHash],
  })
  return rows.map(({ id }) => id)
}

/** Returns the ids of the deleted sessions. */
export async function deleteOtherSessions(
  db: Connection,
  userId: string,
  tokenHash: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'delete_other_sessions',
    text: `-- delete_other_sessions
      DELETE FROM sessions WHERE user_id = $1 AND token <> $2 RETURNING id`,
    values: [userId, tokenHash],
  })
  return rows.map(({ id }) => id)
}

export async function deleteSessionsOf(db: Connection, userId: string): Promise<void> {
  await db.query({
    name: 'delete_sessions_of',
    text: `-- delete_sessions_of
      DELETE FROM sessions WHERE user_id = $1`,
    values: [userId],
  })
}

export async function deleteExpiredSessions(db: Connection): Promise<void> {
  await db.query({
    text: `-- delete_expired_sessions
      DELETE FROM sessions WHERE expires_at < clock_timestamp()`,
  })
}
