import type { ExportedClaim } from '../../domain/claims/claim.ts'
import { type ClaimSelection, listExportedClaims } from '../../storage/claims/claim-list.ts'
import type { App } from '../app.ts'
import { type ClaimFilters, selectClaims } from './list-claims.ts'

/** Records that are read, and held in memory, at a time. */
const PAGE = 500

/** All claims of the filtered list, page by page; the next page is read when it is asked for. */
export function exportClaims(
  app: App,
  request: ClaimFilters & { order: 'asc' | 'desc' },
): AsyncGenerator<ExportedClaim[]> {
  return readAllPages(app, selectClaims(request), request.order)
}

/** By the list's own pages and cursors, so that nothing is repeated or skipped while records are added. */
export async function* readAllPages(
  app: App,
  selection: ClaimSelection,
  order: 'asc' | 'desc',
): AsyncGenerator<ExportedClaim[]> {
  for (let after: string | null = null; ; ) {
    const { rows, hasMore } = await listExportedClaims(app.db.reads.for(selection.userId), {
      ...selection,
      after,
      order,
      limit: PAGE,
    })
    yield rows
    if (!hasMore) return
    after = rows.at(-1)?.position ?? null
  }
}
