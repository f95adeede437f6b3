import type { App } from '../app.ts'
import type { ExportedClaim } from '../core/claims/claim.ts'
import { findCustomerByExternalId } from '../customers/customer-store.ts'
import { candidateId } from './claim-ids.ts'
import {
  type ClaimPage,
  type ClaimPageRequest,
  findPosition,
  readClaimPage,
  resolveCursorPlace,
} from './claim-page.ts'
import { type ExportOrder, readAllPages } from './export-claims.ts'
import { checkFilters, type ListFilters, selectionOf } from './list-filters.ts'
import { aliasRange, type ClaimSelection } from './lists/claim-selection.ts'

export interface CandidateFilters extends ListFilters {
  customerExternalId: string | undefined
  /** The beginning of an alias. */
  search: string | undefined
}

/**
 * A page of the account's candidates, without their logs (§4.2). `after` may be a cursor or an alias.
 * @throws VALIDATION_ERROR if the cursor is unknown or filters contradict each other
 */
export async function listCandidates(
  app: App,
  request: CandidateFilters & ClaimPageRequest,
): Promise<ClaimPage> {
  const { userId } = request
  // The customer and the search are resolved later: errors about the cursor come first.
  const unresolved = {
    ...selectionOf(request),
    kind: 'candidate',
    customerId: undefined,
    search: null,
  } as const
  const after = await resolveCursorPlace(app, unresolved, request, (alias) =>
    findPosition(app, userId, 'candidate', candidateId(alias)),
  )
  const selection = await selectCandidates(app, request)
  if (selection) return readClaimPage(app, selection, after, request)
  return { claims: [], nextCursor: null, total: request.total ? { count: 0, isExact: true } : undefined }
}

/**
 * Null if no candidate can match: the account has no such customer.
 * @throws VALIDATION_ERROR if filters contradict each other
 */
async function selectCandidates(app: App, filters: CandidateFilters): Promise<ClaimSelection | null> {
  const { userId, customerExternalId, search } = filters
  checkFilters(filters)
  const customer =
    customerExternalId === undefined
      ? null
      : await findCustomerByExternalId(app.db.reads.for(userId), userId, customerExternalId)
  if (customerExternalId !== undefined && !customer) return null
  return {
    ...selectionOf(filters),
    kind: 'candidate',
    customerId: customer?.id,
    search: search === undefined ? null : aliasRange(search),
  }
}

/** All candidates of the filtered list, page by page. The next page is read when it is requested. */
export async function* exportCandidates(
  app: App,
  request: CandidateFilters & ExportOrder,
): AsyncGenerator<ExportedClaim[]> {
  const selection = await selectCandidates(app, request)
  if (selection) yield* readAllPages(app, selection, request)
}
