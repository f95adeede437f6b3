import { setReminder } from '../../support/set-reminder.ts'
import type { TestService } from '../../support/test-service.ts'

/** SQL that gives claims ($1) a reminder at a time ($2). */
export const REMIND_AT = `UPDATE claims SET ${setReminder('$2::timestamptz')} WHERE id = ANY ($1::uuid[])`

/** The number of sent reminders of each claim. */
export async function countReminders(
  { sql }: Pick<TestService, 'sql'>,
  claims: readonly string[],
): Promise<number[]> {
  const rows = await sql(
    `SELECT subject_id AS id, count(*)::int AS sent FROM notifications
     WHERE subject_id = ANY ($1::uuid[]) AND kind = 'due_soon' GROUP BY 1`,
    [claims],
  )
  const counts = new Map(rows.map(({ id, sent }) => [id, sent as number]))
  return claims.map((id) => counts.get(id) ?? 0)
}
