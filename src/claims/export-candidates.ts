import type { App } from '../app.ts'
import type { ExportedClaim } from '../core/claims/claim.ts'
import { type ExportOrder, readAllPages } from './export-claims.ts'
import { type CandidateFilters, selectCandidates } from './list-candidates.ts'

/** All candidates of the filtered list, page by page; the next page is read when it is asked for. */
export async function* exportCandidates(
  app: App,
  request: CandidateFilters & ExportOrder,
): AsyncGenerator<ExportedClaim[]> {
  const selection = await selectCandidates(app, request)
  if (selection) yield* readAllPages(app, selection, request)
}
