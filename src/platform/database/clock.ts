import type { Connection } from './connection.ts'

/** SQL for the database's time in whole milliseconds. Every stored time is such a time, or a test clock's. */
export const NOW = "date_trunc('milliseconds', clock_timestamp())"

export async function readClock(db: Connection): Promise<Date> {
  const [row] = await db.query<{ now: Date }>({ name: 'read_clock', text: `SELECT ${NOW} AS now` })
  return (row as { now: Date }).now
}
