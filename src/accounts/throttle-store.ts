import type { Connection } from '../platform/database/connection.ts'

/**
 * Counts an attempt in one statement, so that concurrent attempts are all counted. Returns the attempts in the current window,
 * which the first attempt opened, and the seconds until the window ends.
 */
export async function countAttempt(
  db: Connection,
  key: string,
  windowSeconds: number,
): Promise<{ attempts: number; endsInSeconds: number }> {
  const [row] = await db.query<{ attempts: number; ends_in: number }>({
    name: 'count_attempt',
    text: `-- count_attempt
      INSERT INTO throttles AS t (key, attempts, ends_at)
      VALUES ($1, 1, clock_timestamp() + make_interval(secs => $2))
      ON CONFLICT (key) DO UPDATE SET
        attempts = CASE WHEN t.ends_at <= clock_timestamp() THEN 1 ELSE t.attempts + 1 END,
        ends_at = CASE WHEN t.ends_at <= clock_timestamp() THEN EXCLUDED.ends_at ELSE t.ends_at END
      RETURNING attempts, ceil(extract(epoch FROM ends_at - clock_timestamp()))::int AS ends_in`,
    values: [key, windowSeconds],
  })
  return { attempts: row?.attempts ?? 1, endsInSeconds: Math.max(1, row?.ends_in ?? windowSeconds) }
}

export async function forgetAttempts(db: Connection, key: string): Promise<void> {
  await db.query({
    name: 'forget_attempts',
    text: `-- forget_attempts
      DELETE FROM throttles WHERE key = $1`,
    values: [key],
  })
}

export async function deleteExpiredThrottles(db: Connection): Promise<void> {
  await db.query({
    text: `-- delete_expired_throttles
      DELETE FROM throttles WHERE ends_at < clock_timestamp()`,
  })
}
