import type { BenchDatabase } from './bench-database.ts'
import type { PhaseResult } from './load/plan.ts'
import { type ClaimPick, claimId, claimOf, eventId } from './load/submissions.ts'

/**
 * Verifies that every acknowledged event is in the log of its claim exactly once, that no other event is there, and that the
 * event count of each claim is correct. Returns the number of acknowledged events. A request has `batch` events and is
 * accepted as a whole or not at all. Events of `before` have the first numbers and were all accepted.
 */
export async function verifyAcknowledged(
  database: BenchDatabase,
  pick: ClaimPick,
  { sent, refused }: PhaseResult,
  { batch = 1, before }: { batch?: number; before?: { pick: ClaimPick; events: number } | undefined } = {},
): Promise<number> {
  const range = [claimId(pick.set, 1), claimId(pick.set, pick.claims)]
  const { rows } = await database.sql.query<{ event: string }>(
    `SELECT claim_id || ' ' || id AS event FROM claim_events
     WHERE claim_id BETWEEN $1 AND $2 AND starts_with(id, 'evt-')`,
    range,
  )
  const stored = new Set(rows.map(({ event }) => event))
  const unacknowledged = new Set<number | null>(refused)
  const first = before?.events ?? 0
  const requestOf = (number: number) => (number < first ? null : Math.floor((number - first) / batch))
  const expected = Array.from({ length: first + sent * batch }, (_, number) =>
    nameOf(before && number < first ? before.pick : pick, number),
  )
  const acknowledged = expected.filter((_, number) => !unacknowledged.has(requestOf(number)))
  const lost = acknowledged.filter((event) => !stored.has(event)).length
  const unsent = stored.difference(new Set(expected)).size
  const wrong = await countWrongCounts(database, range)
  if (lost > 0 || unsent > 0 || rows.length !== stored.size || wrong > 0) {
    throw new Error(
      `of ${acknowledged.length} acknowledged events ${lost} are lost, ${rows.length - stored.size} are duplicated, ${unsent} were never sent; ${wrong} claims have a wrong event count`,
    )
  }
  return acknowledged.length
}

const nameOf = (pick: ClaimPick, submission: number) =>
  `${claimId(pick.set, claimOf(pick, submission))} ${eventId(submission)}`

async function countWrongCounts(database: BenchDatabase, range: string[]): Promise<number> {
  const { rows } = await database.sql.query<{ wrong: string }>(
    `SELECT count(*) AS wrong FROM claims c WHERE id BETWEEN $1 AND $2
     AND event_count <> (SELECT count(*) FROM claim_events e WHERE e.claim_id = c.id)`,
    range,
  )
  return Number(rows[0]?.wrong)
}

/** Verifies that the number of claims is the number of sent creations. The tables were empty, and all were accepted. */
export async function verifyCreated({ sql }: BenchDatabase, { sent }: PhaseResult): Promise<void> {
  const { rows } = await sql.query<{ count: string }>('SELECT count(*) AS count FROM claims')
  const found = Number(rows[0]?.count)
  if (found !== sent) throw new Error(`${sent} creations were acknowledged, but ${found} claims are stored`)
}

/** Verifies that every claim of a set is terminal with exactly one system event. */
export async function verifyResolved(database: BenchDatabase, set: number, claims: number): Promise<void> {
  const { rows } = await database.sql.query<{ terminal: number; logged: number }>(
    `SELECT
       (SELECT count(*)::int FROM claims
        WHERE id BETWEEN $1 AND $2 AND status IN ('CONFIRMED', 'FAILED') AND due_at IS NULL) AS terminal,
       (SELECT count(*)::int FROM (
          SELECT FROM claim_events WHERE claim_id BETWEEN $1 AND $2 AND system
          GROUP BY claim_id HAVING count(*) = 1) once) AS logged`,
    [claimId(set, 1), claimId(set, claims)],
  )
  const { terminal, logged } = rows[0] as { terminal: number; logged: number }
  if (terminal !== claims || logged !== claims) {
    throw new Error(
      `of ${claims} overdue claims ${terminal} are terminal, ${logged} with exactly one system event`,
    )
  }
}
