import type { App } from '../app.ts'
import type { ClaimAddress, StoredClaim } from '../core/claims/claim.ts'
import { unavailable } from '../kernel/errors.ts'
import { isUuid } from '../kernel/uuid.ts'
import { findDeletedPosition } from '../platform/database/lists/deleted-positions.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import { type PageRequest, resolveCursor, unknownCursor } from '../platform/database/lists/list-query.ts'
import { findArchivedPosition } from './archived/archived-claim-store.ts'
import { LONG_CONTRACTS_BATCH_SIZE } from './limits.ts'
import type { Sorted } from './list-filters.ts'
import { type ClaimCount, countClaims, withSpan } from './lists/claim-count-store.ts'
import { findClaimPosition, listClaims } from './lists/claim-list-store.ts'
import { type ClaimPlace, type ClaimSelection, isTimed } from './lists/claim-selection.ts'
import type { NextPlace } from './lists/list-page-store.ts'
import { readLongParts } from './read-contracts.ts'

/** A page of a list. Long columns are loaded while the claims are iterated. */
export interface ClaimPage {
  claims: AsyncIterable<StoredClaim[]> | StoredClaim[][]
  /** The value for `after`. Null on the last page. */
  nextCursor: string | null
  /** Of the whole list, if it was requested. */
  total: ClaimCount | undefined
}

export interface ClaimPageRequest extends PageRequest, Sorted {
  /** Whether to count the whole list. */
  total: boolean
}

/**
 * All claims of the page are read at one moment. Contracts never change, so long ones may be read later. Long
 * metadata is read later in its state then. A page with both has up to 17 MB.
 */
export async function readClaimPage(
  app: App,
  selection: ClaimSelection,
  after: ClaimPlace | null,
  { sort, limit, order, total }: ClaimPageRequest,
): Promise<ClaimPage> {
  const { userId } = selection
  const db = app.db.reads.for(userId)
  const filter = { ...(await withSpan(db, selection)), after, sort, limit, order }
  const counted = total ? await countClaims(db, filter) : undefined
  const { rows, next } = await listClaims(db, filter)
  const claims = loadLazyColumns(rows, {
    columns: ['contract', 'metadata'],
    batchSize: LONG_CONTRACTS_BATCH_SIZE,
    key: ({ id }) => id,
    read: (some) =>
      readLongParts(
        app,
        userId,
        some.map(({ id }) => id),
      ),
    // Deleted with its clock, or archived, in the meantime.
    onMissing: () => unavailable('A claim of the page was deleted while it was read.'),
  })
  return { claims, nextCursor: next && cursorOf(next), total: counted }
}

/** In an order by time: the time and the id of a record. Without an id: after all records of that time. */
const TIMED_CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?:_([-0-9a-f]{36}))?$/

function cursorOf({ time, id }: NextPlace): string {
  if (!time) return id as string
  return id === null ? time.toISOString() : `${time.toISOString()}_${id}`
}

/**
 * The place after which the list continues.
 * @param lookUps further names by which the caller may name the last record, besides its id
 * @throws VALIDATION_ERROR
 */
export async function resolveCursorPlace(
  app: App,
  selection: ClaimSelection,
  { after, sort }: PageRequest & Sorted,
  ...lookUps: ((name: string) => Promise<string | null>)[]
): Promise<ClaimPlace | null> {
  const { userId, kind } = selection
  const positionOf = async (id: string) => (isUuid(id) ? findPosition(app, userId, kind, id) : null)
  if (after === undefined) return null
  if (!isTimed(selection, sort))
    return { time: null, position: await resolveCursor(after, positionOf, ...lookUps) }
  const [, time, id] = TIMED_CURSOR.exec(after) ?? []
  if (!time || Number.isNaN(Date.parse(time))) throw unknownCursor()
  return { time: new Date(time), position: id ? await resolveCursor(id, positionOf) : null }
}

/**
 * The position of a claim or candidate in its account's list; null if the account has none with this id. A record that was
 * archived, or deleted with its test clock, keeps its position, so that clients can continue a list from it.
 */
export async function findPosition(
  app: App,
  userId: string,
  kind: ClaimAddress['kind'],
  id: string,
): Promise<string | null> {
  const db = app.db.reads.for(userId)
  return (
    (await findClaimPosition(db, userId, kind, id)) ??
    (await findArchivedPosition(db, userId, kind, id)) ??
    (await findDeletedPosition(db, userId, kind, id))
  )
}
