import { CONTRACT, contractIsMissing } from '../../contracts/contract-store.ts'
import type { ClaimAddress, ExportedClaim } from '../../core/claims/claim.ts'
import { STATUSES } from '../../core/claims/lifecycle.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../platform/database/limits.ts'
import { type ListedRow, type Page, readPage } from '../../platform/database/lists/list-page.ts'
import { ListQuery } from '../../platform/database/lists/list-query.ts'
import { METADATA, METADATA_IF_SHORT } from '../../platform/database/metadata.ts'
import {
  CLAIM_COLUMNS_IF_SHORT,
  CLAIM_COLUMNS_WITH_HASH,
  type ClaimFactsRow,
  type ListedClaim,
  type ListedClaimRow,
  toClaimFacts,
  toClaimWithMetadata,
} from '../claim-columns.ts'
import { FRESH, isOfKind, isOneOf } from './claim-conditions.ts'
import { type ClaimFilter, isPlain } from './claim-selection.ts'
import { readSelectivePage, type SelectivePage } from './selective-list-store.ts'

/** A page of the account's claims, or of its candidates. */
export async function listClaims(db: Connection, filter: ClaimFilter): Promise<SelectivePage<ListedClaim>> {
  const { rows, next } = await readClaimPage<ListedClaimRow>(
    db,
    filter,
    CLAIM_COLUMNS_WITH_HASH,
    // Computed only for the records of the page.
    CLAIM_COLUMNS_IF_SHORT,
  )
  return { rows: rows.map(toClaimWithMetadata), next }
}

async function readClaimPage<Row extends { id: string }>(
  db: Connection,
  filter: ClaimFilter,
  columns: string,
  shown: string,
): Promise<SelectivePage<Row>> {
  if (!isPlain(filter)) return readSelectivePage<Row>(db, filter, columns, shown)
  const { rows, hasMore } = await readPlainPage<Row>(db, filter, columns, shown)
  const last = rows.at(-1)
  return { rows, next: hasMore && last ? { time: null, position: last.position, id: last.id } : null }
}

/** The contracts of these claims as JSON, by claim id. @throws UNAVAILABLE if one is missing */
export async function readContracts(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; contract: string | null }>({
    name: 'read_contracts',
    text: `-- read_contracts
      SELECT id, ${CONTRACT}::text AS contract FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(
    rows.map(({ id, contract }) => {
      if (contract === null) throw contractIsMissing()
      return [id, contract]
    }),
  )
}

/** The contracts and the metadata of these claims as JSON, by claim id. @throws UNAVAILABLE if a contract is missing */
export async function readLongParts(
  db: Connection,
  ids: readonly string[],
): Promise<Map<string, { contract: string; metadata: string }>> {
  const rows = await db.query<{ id: string; contract: string | null; metadata: string }>({
    name: 'read_long_parts',
    text: `-- read_long_parts
      SELECT id, ${CONTRACT}::text AS contract, ${METADATA} AS metadata FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(
    rows.map(({ id, contract, metadata }) => {
      if (contract === null) throw contractIsMissing()
      return [id, { contract, metadata }]
    }),
  )
}

/** The metadata of these claims as JSON, by claim id. */
export async function readMetadata(
  db: Connection,
  ids: readonly string[],
): Promise<Map<string, { metadata: string }>> {
  const rows = await db.query<{ id: string; metadata: string }>({
    name: 'read_metadata',
    text: `-- read_metadata
      SELECT id, ${METADATA} AS metadata FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(rows.map(({ id, metadata }) => [id, { metadata }]))
}

interface ExportedRow extends ClaimFactsRow {
  price: string
  metadata: string | null
}

const EXPORTED_FACTS = `id, reference, candidate_alias, customer_id, customer_external_id, status, scheduled_outcome, price,
  status_since, due_at, schema_id, schema_version, test_clock_id, created_at`

/** Long metadata is null. */
type ListedExport = Omit<ExportedClaim, 'metadata'> & { metadata: string | null }

/** The same page, for an export. */
export async function listExportedClaims(
  db: Connection,
  filter: ClaimFilter,
): Promise<SelectivePage<ListedExport>> {
  const { rows, next } = await readClaimPage<ExportedRow>(
    db,
    filter,
    `${EXPORTED_FACTS}, metadata`,
    // Computed only for the records of the page.
    `${EXPORTED_FACTS}, ${METADATA_IF_SHORT} AS metadata`,
  )
  const toExported = ({ price, metadata, ...row }: ExportedRow) => ({ ...toClaimFacts(row), price, metadata })
  return { rows: rows.map(toExported), next }
}

/** The position of a claim or candidate in its account's list, by its UUID. Null if there is none. */
export async function findClaimPosition(
  db: Connection,
  userId: string,
  kind: ClaimAddress['kind'],
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_claim_position',
    text: `-- find_claim_position
      SELECT position FROM claims
      WHERE id = $1 AND user_id = $2 AND (candidate_alias IS NOT NULL) = $3`,
    values: [id, userId, kind === 'candidate'],
  })
  return row?.position ?? null
}

/**
 * A page of a list in the order of positions, by status, customer, schema or test clock.
 * @param columns columns of the table that the page needs
 * @param shown columns of the result
 */
async function readPlainPage<Row>(
  db: Connection,
  filter: ClaimFilter,
  columns: string,
  shown: string,
): Promise<Page<Row & ListedRow>> {
  const list = { name: 'claims', userId: filter.userId } as const
  return readPage(db, list, filter, (count, upTo) => {
    const query = conditionsOf(filter, upTo)
    const page = listStatement(filter, query, columns, count, db.distribution.isOn)
    return db.query<Row & ListedRow>({
      ...(columns === shown ? {} : nameOf(filter, count, upTo)),
      text: columns === shown ? page : showing(shown, page, filter),
      values: query.values,
      readOnly: true,
    })
  })
}

/** Rows of a page of the default length and of the maximum length, with the extra record that shows whether more follow. */
const USUAL_COUNTS = [DEFAULT_PAGE_SIZE + 1, MAX_PAGE_SIZE + 1]

/**
 * Usual pages are prepared statements: planning takes many times as long as reading. Their plan is the same for all
 * values, the beginning of an index scan. Schemas and clocks are not prepared: they may match few or most records.
 */
function nameOf(filter: ClaimFilter, count: number, upTo: string | null): { name?: string } {
  const { kind, order, statuses, customerId, schemaId, testClockId, after } = filter
  if (schemaId || testClockId || statuses.length > 1 || !USUAL_COUNTS.includes(count)) return {}
  const conditions = { status: statuses[0], customer: customerId, after: after?.position, up_to: upTo }
  const given = Object.entries(conditions).flatMap(([name, value]) => (value ? name : []))
  return { name: ['list', count, kind, order, ...given].join('_') }
}

const showing = (columns: string, page: string, { order }: ClaimFilter) =>
  `${/^--.*\n/.exec(page)}SELECT ${columns}, position, fresh FROM (\n${page}\n) AS page ORDER BY position ${order}`

function conditionsOf(filter: ClaimFilter, upTo: string | null): ListQuery {
  return new ListQuery()
    .where('user_id', '=', filter.userId)
    .where('status', '=', filter.statuses.length === 1 ? filter.statuses[0] : null)
    .where('customer_id', '=', filter.customerId)
    .where('schema_id', '=', filter.schemaId)
    .where('test_clock_id', '=', filter.testClockId)
    .after(filter.after?.position ?? null, filter.order)
    .where('position', '<=', upTo)
}

const isOfStatuses = ({ statuses }: ClaimFilter) => (statuses.length > 1 ? isOneOf(statuses) : 'true')

/**
 * The indexes of an account's list and of a customer's list begin with the status. For several statuses the statement
 * reads a page of each in index order and merges them. The indexes by schema and by clock do not contain the status.
 * | On distributed tables these pages are read one after the other, each with its own snapshot. Statuses only move
 * forward, and the pages are read in the order of the statuses, so no claim is missed. A claim that changes its
 * status meanwhile appears twice, and the later row is kept.
 */
function listStatement(
  filter: ClaimFilter,
  query: ListQuery,
  columns: string,
  count: number,
  isDistributed: boolean,
): string {
  const page = `ORDER BY position ${filter.order} LIMIT ${count}`
  const pageWhere = (condition: string) =>
    `SELECT ${columns}, position, ${FRESH} FROM claims
      WHERE ${isOfKind(filter.kind)} AND ${query.conditions} AND ${condition} ${page}`
  const { statuses, schemaId, testClockId } = filter
  const isOfOneIndex = statuses.length === 1 || (schemaId ?? testClockId) !== undefined
  if (isOfOneIndex) return `-- list_claims\n${pageWhere(isOfStatuses(filter))}`
  const listedStatuses = statuses.length > 0 ? statuses : STATUSES
  if (isDistributed) {
    const pages = listedStatuses.map(
      (status, place) =>
        `(SELECT *, ${place} AS place FROM (${pageWhere(`status = '${status}'`)}) AS p${place})`,
    )
    return `-- list_claims
    SELECT DISTINCT ON (position) * FROM (${pages.join(' UNION ALL ')}) AS pages
    ORDER BY position ${filter.order}, place DESC LIMIT ${count}`
  }
  return `-- list_claims
    SELECT * FROM (
      ${listedStatuses.map((status) => `(${pageWhere(`status = '${status}'`)})`).join(' UNION ALL ')}
    ) AS pages ${page}`
}
