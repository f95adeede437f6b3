import type { Connection } from '../database/connection.ts'

/** Notifications of an account that go at a time. */
const BATCH = 1_000

/**
 * Removes an account's oldest notifications of before this time, a batch at most, and keeps the number of the last, which
 * tells whoever stands before it. Returns how many went.
 */
export async function removeNotifications(db: Connection, userId: string, before: Date): Promise<number> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ last: string | null }>({
      name: 'find_old_notifications',
      text: `-- find_old_notifications
        SELECT max(number) FILTER (WHERE created_at < $2) AS last FROM (
          SELECT number, created_at FROM notifications WHERE user_id = $1 ORDER BY number LIMIT ${BATCH}
        ) AS oldest`,
      values: [userId, before],
    })
    if (!row?.last) return 0
    await connection.query({
      name: 'note_removed_notifications',
      text: `-- note_removed_notifications
        INSERT INTO notification_removals (user_id, number) VALUES ($1, $2)
        ON CONFLICT (user_id) DO UPDATE SET number = greatest(notification_removals.number, excluded.number)`,
      values: [userId, row.last],
    })
    const removed = await connection.query({
      name: 'remove_notifications',
      text: `-- remove_notifications
        DELETE FROM notifications WHERE user_id = $1 AND number <= $2 RETURNING number`,
      values: [userId, row.last],
    })
    return removed.length
  })
}

/** Accounts, in the order of their ids. */
export async function listAccounts(db: Connection, after: string, count: number): Promise<{ id: string }[]> {
  return db.query<{ id: string }>({
    name: 'list_accounts',
    text: `-- list_accounts
      SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT $2`,
    values: [after, count],
    readOnly: true,
  })
}
