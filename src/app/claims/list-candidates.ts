import type { Status } from '../../domain/claims/lifecycle.ts'
import { isUuid } from '../../domain/uuid.ts'
import { candidateId } from '../../storage/claims/candidate-id.ts'
import type { ClaimSelection } from '../../storage/claims/claim-list.ts'
import { aliasRange } from '../../storage/claims/claim-search.ts'
import { findCustomerByExternalId } from '../../storage/customers.ts'
import type { App } from '../app.ts'
import { type PageRequest, resolveCursor } from '../cursor.ts'
import { type ClaimPage, EMPTY_PAGE, findPosition, readClaimPage } from './claim-page.ts'

export interface CandidateFilters {
  userId: string
  status: Status | undefined
  customerExternalId: string | undefined
  schemaId: string | undefined
  testClockId: string | undefined
  /** The beginning of an alias. */
  search: string | undefined
}

/** A page of the account's candidates, without their logs (§4.2). `after` may be a cursor or an alias. */
export async function listCandidates(app: App, request: CandidateFilters & PageRequest): Promise<ClaimPage> {
  const positionOf = (id: string) => findPosition(app, request.userId, 'candidate', id)
  const after = await resolveCursor(
    request.after,
    async (name) => (isUuid(name) ? positionOf(name) : null),
    (alias) => positionOf(candidateId(alias)),
  )
  const selection = await selectCandidates(app, request)
  if (!selection) return EMPTY_PAGE
  return readClaimPage(app, { ...selection, after, limit: request.limit, order: request.order })
}

/** Null if no candidate can match: the account has no such customer. */
export async function selectCandidates(app: App, filters: CandidateFilters): Promise<ClaimSelection | null> {
  const { userId, status, customerExternalId, schemaId, testClockId, search } = filters
  const customer =
    customerExternalId === undefined
      ? null
      : await findCustomerByExternalId(app.db.reads.for(userId), userId, customerExternalId)
  if (customerExternalId !== undefined && !customer) return null
  return {
    userId,
    kind: 'candidate',
    status,
    customerId: customer?.id,
    schemaId,
    testClockId,
    search: search === undefined ? null : aliasRange(search),
  }
}
