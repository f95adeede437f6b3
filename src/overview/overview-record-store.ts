import { CLAIM_COLUMNS, type ClaimRow, toWholeClaim } from '../claims/claim-columns.ts'
import type { NotedClaim } from '../core/claims/claim.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Connection } from '../platform/database/connection.ts'
import { IS_RESOLVED, IS_UNRESOLVED, type OverviewScope, ScopeQuery } from './overview-scope-store.ts'

type NotedRow = ClaimRow & { metadata: Metadata | null }
const COLUMNS = `${CLAIM_COLUMNS}, metadata`
const toNotedClaim = (row: NotedRow): NotedClaim => ({ ...toWholeClaim(row), metadata: row.metadata ?? {} })

/** The claims and candidates whose window ends next, soonest first. */
export async function listDueNext(
  db: Connection,
  scope: OverviewScope,
  limit: number,
): Promise<NotedClaim[]> {
  const query = new ScopeQuery(scope)
  const rows = await db.query<NotedRow>({
    text: `-- list_due_next
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        SELECT id FROM ${query.those(IS_UNRESOLVED)}
        ORDER BY user_id, due_at LIMIT ${query.parameter(limit)}
      ))
      ORDER BY due_at, id`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}

/** Those that the check of this time, or an earlier one, should have moved. */
export async function findOverdue(
  db: Connection,
  scope: OverviewScope,
  checkTime: Date,
): Promise<{ count: number; oldestDueAt: Date | null }> {
  const query = new ScopeQuery(scope).where('due_at', '<=', checkTime).where('status_since', '<', checkTime)
  const [row] = await db.query<{ count: number; oldest: Date | null }>({
    text: `-- find_overdue
      SELECT count(*)::int AS count, min(due_at) AS oldest
      FROM ${query.those(IS_UNRESOLVED)}`,
    values: query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, oldestDueAt: row?.oldest ?? null }
}

/** Those that entered their status last, latest first. */
export async function listRecent(db: Connection, scope: OverviewScope, limit: number): Promise<NotedClaim[]> {
  const query = new ScopeQuery(scope)
  const count = query.parameter(limit)
  const rows = await db.query<NotedRow>({
    text: `-- list_recent
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        (SELECT id FROM ${query.those(IS_UNRESOLVED)}
        ORDER BY status_since DESC LIMIT ${count})
        UNION ALL
        (SELECT id FROM ${query.those(IS_RESOLVED)}
        ORDER BY user_id DESC, status_since DESC LIMIT ${count})
      ))
      ORDER BY status_since DESC, position DESC LIMIT ${count}`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}
