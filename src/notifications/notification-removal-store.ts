import type { Connection } from '../platform/database/connection.ts'
import { FEED_PARTS, type FeedPart, PART_CONDITION } from './feed-store.ts'
import { REMOVAL_BATCH_SIZE } from './limits.ts'

/** The column with the last removed number of each part. */
const REMOVED_UP_TO: Readonly<Record<FeedPart, string>> = { changes: 'number', events: 'events_number' }

/**
 * Removes an account's oldest notifications from before this time, one batch of each part at most. Keeps the last
 * removed number, so that readers with an earlier cursor get an error. Returns the number of removed notifications.
 */
export async function removeNotifications(db: Connection, userId: string, before: Date): Promise<number> {
  let removed = 0
  for (const part of FEED_PARTS) removed += await removeOfPart(db, part, userId, before)
  return removed
}

async function removeOfPart(db: Connection, part: FeedPart, userId: string, before: Date): Promise<number> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ last: string | null }>({
      name: `find_old_notifications_of_${part}`,
      text: `-- find_old_notifications
        SELECT max(number) FILTER (WHERE created_at < $2) AS last FROM (
          SELECT number, created_at FROM notifications WHERE user_id = $1 AND ${PART_CONDITION[part]} ORDER BY number LIMIT ${REMOVAL_BATCH_SIZE}
        ) AS oldest`,
      values: [userId, before],
    })
    if (!row?.last) return 0
    const upTo = REMOVED_UP_TO[part]
    await connection.query({
      name: `note_removed_notifications_of_${part}`,
      text: `-- note_removed_notifications
        INSERT INTO notification_removals (user_id, number, events_number)
        VALUES ($1, ${part === 'changes' ? '$2, 0' : '0, $2'})
        ON CONFLICT (user_id) DO UPDATE SET ${upTo} = greatest(notification_removals.${upTo}, excluded.${upTo})`,
      values: [userId, row.last],
    })
    const removed = await connection.query({
      name: `remove_notifications_of_${part}`,
      text: `-- remove_notifications
        DELETE FROM notifications WHERE user_id = $1 AND number <= $2 AND ${PART_CONDITION[part]} RETURNING number`,
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
