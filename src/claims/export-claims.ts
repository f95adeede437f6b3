import type { App } from '../app.ts'
import type { ExportedClaim } from '../core/claims/claim.ts'
import { findCustomers } from '../customers/customer-store.ts'
import { LONG_METADATA_BATCH_SIZE } from '../platform/database/limits.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import { EXPORT_PAGE_SIZE } from './limits.ts'
import { type ClaimFilters, selectClaims } from './list-claims.ts'
import type { Sorted } from './list-filters.ts'
import { withSpan } from './lists/claim-count-store.ts'
import { listExportedClaims, readMetadata } from './lists/claim-list-store.ts'
import type { ClaimPlace, ClaimSelection } from './lists/claim-selection.ts'

export interface ExportOrder extends Sorted {
  order: 'asc' | 'desc'
}

/**
 * All claims of the filtered list, page by page, each with the customer's external id. The next page is read when it
 * is requested.
 * @throws VALIDATION_ERROR
 */
export function exportClaims(app: App, request: ClaimFilters & ExportOrder): AsyncGenerator<ExportedClaim[]> {
  return withCustomers(app, request.userId, readAllPages(app, selectClaims(request), request))
}

async function* withCustomers(app: App, userId: string, pages: AsyncIterable<ExportedClaim[]>) {
  for await (const claims of pages) {
    if (claims.length === 0) {
      yield claims
      continue
    }
    const ids = [...new Set(claims.map(({ customerId }) => customerId))]
    const [customers] = await findCustomers(app.db.reads.for(userId), [{ userId, names: ids }])
    const externalIds = new Map(customers?.map(({ id, externalId }) => [id, externalId]))
    yield claims.map((claim) => ({ ...claim, customerExternalId: externalIds.get(claim.customerId) ?? null }))
  }
}

/**
 * Uses the pages and cursors of the list, so that nothing is repeated or skipped while records are added. A record
 * that is archived or deleted with its test clock during the export may be missing.
 */
export async function* readAllPages(
  app: App,
  selection: ClaimSelection,
  { order, sort }: ExportOrder,
): AsyncGenerator<ExportedClaim[]> {
  const db = app.db.reads.for(selection.userId)
  const idsOf = (claims: readonly { id: string }[]) => claims.map(({ id }) => id)
  for (let after: ClaimPlace | null = null; ; ) {
    // Computed again for each page: records that are added meanwhile belong to the export.
    const filter = { ...(await withSpan(db, selection)), after, order, sort, limit: EXPORT_PAGE_SIZE }
    const { rows, next }: Awaited<ReturnType<typeof listExportedClaims>> = await listExportedClaims(
      db,
      filter,
    )
    // An empty page lets the consumer stop between pages without rows.
    if (rows.length === 0) yield []
    yield* loadLazyColumns(rows, {
      columns: ['metadata'],
      batchSize: LONG_METADATA_BATCH_SIZE,
      key: ({ id }) => id,
      read: (some) => readMetadata(db, idsOf(some)),
    })
    if (!next) return
    after = next
  }
}
