import type { Status } from '../../domain/claims/lifecycle.ts'
import { isUuid, MIN_PREFIX_DIGITS, uuidPrefix } from '../../domain/uuid.ts'
import { validationError } from '../../errors.ts'
import { idOfReference } from '../../storage/claims/candidate-id.ts'
import type { ClaimSelection } from '../../storage/claims/claim-list.ts'
import { idRange } from '../../storage/claims/claim-search.ts'
import type { App } from '../app.ts'
import { type PageRequest, resolveCursor } from '../cursor.ts'
import { type ClaimPage, findPosition, readClaimPage } from './claim-page.ts'

export interface ClaimFilters {
  userId: string
  status: Status | undefined
  customerId: string | undefined
  schemaId: string | undefined
  testClockId: string | undefined
  /** The beginning of an id. */
  search: string | undefined
  reference: string | undefined
}

/** A page of the account's claims, without their logs. @throws VALIDATION_ERROR */
export async function listClaims(app: App, request: ClaimFilters & PageRequest): Promise<ClaimPage> {
  const selection = selectClaims(request)
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findPosition(app, request.userId, 'claim', id) : null,
  )
  return readClaimPage(app, { ...selection, after, limit: request.limit, order: request.order })
}

/** @throws VALIDATION_ERROR if `search` is not the beginning of an id, or is beside `reference` */
export function selectClaims(filters: ClaimFilters): ClaimSelection {
  const { userId, status, customerId, schemaId, testClockId, reference } = filters
  if (reference !== undefined && filters.search !== undefined)
    throw validationError([{ path: 'search', message: 'must not be given beside reference' }])
  const search = reference === undefined ? filters.search : idOfReference(userId, reference)
  const digits = search === undefined ? null : uuidPrefix(search)
  if (search !== undefined && digits === null) {
    const message = `must be the beginning of an id, of at least ${MIN_PREFIX_DIGITS} hexadecimal digits`
    throw validationError([{ path: 'search', message }])
  }
  return {
    userId,
    kind: 'claim',
    status,
    customerId,
    schemaId,
    testClockId,
    search: digits === null ? null : idRange(digits),
  }
}
